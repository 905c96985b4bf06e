/** As many as a PNG with a palette can have. */
const most = 256

/** The colours of a picture, the most frequent ones, and for each pixel which of them comes nearest. */
async function reduced(url) {
  const image = await createImageBitmap(await (await fetch(url)).blob())
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const colours = [...counts].sort(([, one], [, another]) => another - one).map(([pixel]) => pixel)
  const kept = colours.slice(0, most).map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255])
  const nearest = new Map(colours.map((pixel, at) => [pixel, at < most ? at : nearestOf(pixel, kept)]))
  return { width, height, palette: kept.flat(), indexes: Uint8Array.from(pixels, (pixel) => nearest.get(pixel)) }
}

function nearestOf(pixel, kept) {
  let [found, least] = [0, Number.POSITIVE_INFINITY]
  for (const [at, [red, green, blue]] of kept.entries()) {
    const apart = ((pixel & 255) - red) ** 2 + (((pixel >> 8) & 255) - green) ** 2 + (((pixel >> 16) & 255) - blue) ** 2
    if (apart < least) [found, least] = [at, apart]
  }
  return found
}

/** With the pixels as a data URL: they are millions, and come as text. */
window.reduce = async (url) => {
  const { indexes, ...rest } = await reduced(url)
  const reader = new FileReader()
  const read = new Promise((resolve) => {
    reader.onload = () => resolve(reader.result)
  })
  reader.readAsDataURL(new Blob([indexes]))
  return { ...rest, indexes: await read }
}
