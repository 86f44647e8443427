import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { SupplierClient } from './supplier-client.ts'

const opened: { stop(): unknown }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.stop()
})

const clock = { nowMs: () => Date.now() }
const ENDLESS = { onAbort: () => {}, signal: new AbortController().signal }
const client = () => new SupplierClient(clock, { isProxied: false })

function callTo(url: string, connectMs: number) {
  return { url, headers: {}, body: '{}', connectMs, patience: ENDLESS, credentialId: 'cred_1' }
}

/** Whether a connection opens. Only waiting shows that it does not. */
function isTaken(socket: Socket | undefined): Promise<boolean> {
  const isConnected = new Promise<boolean>((resolve) => socket?.once('connect', () => resolve(true)))
  return Promise.race([isConnected, Bun.sleep(200).then(() => false)])
}

const LISTENER = `
  const server = require('node:net').createServer(() => {})
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))
`

/** A listener whose process is stopped and whose backlog is full: new connections wait. */
async function openDeafServer(): Promise<string> {
  const child = Bun.spawn(['node', '-e', LISTENER], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  child.kill('SIGSTOP')
  const waiting: Socket[] = []
  do waiting.push(connect(port, '127.0.0.1').on('error', () => {}))
  while (await isTaken(waiting.at(-1)))
  opened.push({
    stop: () => {
      for (const socket of waiting) socket.destroy()
      child.kill('SIGKILL')
      return child.exited
    },
  })
  return `http://127.0.0.1:${port}`
}

test('an answer may take longer than opening a connection', async () => {
  const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<void>()
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () => {
      noteAsked()
      await mayAnswer
      return new Response('late')
    },
  })
  opened.push(server)
  const answer = client().call(callTo(`${server.url}x`, 50))
  await isAsked
  setTimeout(letAnswer, 150)
  expect(await (await answer).text()).toBe('late')
})

test('a refused connection is reported as such', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  await server.stop(true)
  await expect(client().call(callTo(`http://127.0.0.1:${port}/x`, 5_000))).rejects.toThrow(/connect/i)
})

test('a connection that does not open times out', async () => {
  const url = await openDeafServer()
  await expect(client().call(callTo(`${url}/x`, 100))).rejects.toThrow('Connecting to the supplier timed out')
})

test('a redirect is not followed', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.redirect('http://127.0.0.1:1/'),
  })
  opened.push(server)
  expect((await client().call(callTo(`${server.url}x`, 1_000))).status).toBe(302)
})
