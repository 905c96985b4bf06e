// People who watch the live page: so many connections to its feed, read and thrown away.
import { get } from 'node:http'

const [port, count] = process.argv.slice(2).map(Number)
let open = 0
for (let n = 0; n < (count as number); n++) {
  get({ host: '127.0.0.1', port, path: '/live' }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`the live feed answered ${answer.statusCode}`)
    answer.resume()
    open++
    if (open === count) process.stdout.write('open\n')
  })
}
process.on('disconnect', () => process.exit(0))
