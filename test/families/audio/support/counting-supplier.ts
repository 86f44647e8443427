import { createServer } from 'node:http'

/** A separate process that receives forms without keeping them, and answers with their size. Prints its URL. */
const server = createServer((request, response) => {
  let bytes = 0
  const hash = new Bun.CryptoHasher('sha256')
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    hash.update(chunk)
  })
  request.on('end', () => {
    const text = `${bytes} bytes, ${request.headers['content-length']} promised`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ text, usage: { type: 'duration', seconds: 1 } }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  console.log(`http://127.0.0.1:${address.port}`)
})
