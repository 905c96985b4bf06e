import { AdviceView } from './advice.ts'
import { ConnectView } from './connect.ts'
import { DetailView } from './detail.ts'
import { byId, setText } from './dom.ts'
import { ExchangesView } from './exchanges.ts'
import { type LineState, listen } from './feed.ts'
import { Model } from './model.ts'
import { ModelsView } from './models.ts'
import { RunningView } from './running.ts'
import { TilesView } from './tiles.ts'

const model = new Model()
const detail = new DetailView(model)
const open = (id: string): void => void detail.open(id)
const exchanges = new ExchangesView(
  () => draw(true),
  ({ id }) => open(id),
)
const views = [
  new TilesView(),
  new RunningView(),
  exchanges,
  new ModelsView(() => draw(true)),
  new AdviceView(open),
  new ConnectView(),
]

let paused = false
let waiting = false

/** Once a frame at most. While paused only what the user does is drawn. */
function draw(asked: boolean): void {
  if (waiting || (paused && !asked)) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    if (model.opening === undefined) return
    exchanges.measure()
    for (const view of views) view.render(model)
  })
}

const states: Readonly<Record<LineState, string>> = {
  live: 'live',
  connecting: 'connecting',
  lost: 'no connection, trying again',
}

listen({
  opening(opening) {
    model.open(opening)
    setText(byId('version'), opening.version)
    draw(true)
    detail.openByAddress()
  },
  snapshot(snapshot) {
    model.take(snapshot)
    draw(false)
  },
  state(state) {
    setText(byId('state'), states[state])
    byId('state').className = `state ${state}`
  },
})

const pause = byId<HTMLButtonElement>('pause')
pause.addEventListener('click', () => {
  paused = !paused
  pause.setAttribute('aria-pressed', String(paused))
  setText(pause, paused ? 'Go on' : 'Pause')
  draw(true)
})
addEventListener('hashchange', () => detail.openByAddress())
