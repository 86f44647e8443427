// Asks the server at the given address with the clients of node: node:http, and fetch, which is undici.
import { Agent, request } from 'node:http'

const url = process.argv[2] ?? ''
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const json = { 'content-type': 'application/json' }
const long = 'é'.repeat(50_000)

function ask(path, options = {}, parts = []) {
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { agent, ...options }, (message) => {
      let text = ''
      message.setEncoding('utf8')
      message.on('data', (chunk) => {
        text += chunk
      })
      message.on('error', reject)
      message.on('end', () => resolve({ message, text, isReused: asked.reusedSocket }))
    })
    asked.on('error', reject)
    if (options.headers?.expect === undefined) asked.end(parts.join(''))
    else asked.on('continue', () => asked.end(parts.join('')))
    if (options.headers?.expect !== undefined) asked.flushHeaders()
  })
}

function askInChunks(path, parts) {
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { agent, method: 'POST', headers: json }, (message) => {
      let text = ''
      message.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      message.on('end', () => resolve(text))
    })
    asked.on('error', reject)
    for (const part of parts) asked.write(part)
    asked.end()
  })
}

let reusedSockets = 0
for (let turn = 0; turn < 20; turn += 1) if ((await ask(`/echo?${turn}`)).isReused) reusedSockets += 1

const expecting = { ...json, expect: '100-continue', 'content-length': '5' }
const continued = await ask('/echo', { method: 'POST', headers: expecting }, ['12345'])
const chunked = await askInChunks('/echo', [long.slice(0, 10), long.slice(10)])
const fetched = await fetch(`${url}/echo`, {
  method: 'POST',
  body: new Blob([long]).stream(),
  headers: json,
  duplex: 'half',
})
const counted = await (await fetch(`${url}/count`)).text()
const head = await fetch(`${url}/file`, { method: 'HEAD' })
const large = await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(5_000_000), headers: json })
const broken = await Promise.all([
  ask('/failing').catch((error) => error.code),
  fetch(`${url}/failing`)
    .then((response) => response.text())
    .catch((error) => error.message),
])
agent.destroy()

console.log(
  JSON.stringify({
    reusedSockets,
    continued: JSON.parse(continued.text).body,
    chunked: JSON.parse(chunked).body,
    fetched: (await fetched.json()).body,
    counted,
    headBytes: head.headers.get('content-length'),
    large: large.status,
    broken,
  }),
)
