import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Command } from '../../src/cli/command.ts'
import {
  createAlertChannelsCommand,
  createAlertsCommand,
  createSinksCommand,
} from '../../src/cli/commands/observability.ts'
import { isSignedWith, type Receiver, startReceiver } from '../alerts/receiver.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let receiver: Receiver
let sinks: Command
let channels: Command
let alerts: Command
const clock = createMovableClock()
beforeAll(async () => {
  receiver = startReceiver()
  gateway = await startTestGateway({ clock })
  const environment = { TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  sinks = createSinksCommand(environment)
  channels = createAlertChannelsCommand(environment)
  alerts = createAlertsCommand(environment)
})
afterAll(async () => {
  await gateway.stop()
  await receiver.stop()
})

async function type(command: Command, line: string, expectedStatus = 0): Promise<string> {
  let printed = ''
  const status = await command.run(line.split(' '), {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  expect(status).toBe(expectedStatus)
  return printed
}

const read = async (command: Command, line: string) => JSON.parse(await type(command, `${line} --json`))

test('turnpike sinks sets, updates, disables and deletes a sink, and shows its secret once', async () => {
  expect(await type(sinks, 'list')).toContain('There are no sinks.')
  const made = await type(sinks, 'set warehouse --target http://127.0.0.1:9/ --wait-seconds 0')
  expect(made).toMatch(/secret \(shown once\) +whsec_\w+/)
  const stored = { target: 'http://127.0.0.1:9/', wait_seconds: 0, events: true, settlements: true }
  expect(await read(sinks, 'update warehouse --settlements off')).toMatchObject({
    ...{ ...stored, settlements: false, secret: null },
  })
  expect(await type(sinks, 'show warehouse')).not.toContain('whsec_')
  await gateway.sinks.send()
  expect(await type(sinks, 'list')).toMatch(/warehouse +http:\/\/127.0.0.1:9\/ +failing +[1-9]/)

  const disabled = await type(sinks, 'disable warehouse')
  expect(disabled).toMatch(/failed tries +0/)
  expect(disabled).toMatch(/waiting +0/)
  expect(await type(sinks, 'list')).toContain('disabled')
  expect(await read(sinks, 'enable warehouse')).toMatchObject({ enabled: true, wait_seconds: 0 })
  expect(await type(sinks, 'delete warehouse')).toContain('warehouse')
  expect(await read(sinks, 'list')).toEqual([])
  await expect(type(sinks, 'update warehouse --events off')).rejects.toThrow('There is no sink "warehouse".')
})

test('a sink that first leads to an address gets a secret then', async () => {
  expect(await read(sinks, 'set archive --target folder://archive')).toMatchObject({ secret: null })
  const { secret } = await read(sinks, 'update archive --target http://127.0.0.1:9/')
  expect(secret).toStartWith('whsec_')
  expect(await read(sinks, 'update archive --target http://127.0.0.1:9/other')).toMatchObject({
    secret: null,
  })
  await type(sinks, 'delete archive')
})

test('a sink is tried at once after a change', async () => {
  await type(sinks, 'set mended --target http://127.0.0.1:9/ --wait-seconds 0')
  await gateway.sinks.send()
  expect(await read(sinks, 'show mended')).toMatchObject({ progress: { failures: 1 } })
  await type(sinks, 'update mended --target folder://mended')
  await gateway.sinks.send()
  expect((await read(sinks, 'show mended')).progress).toMatchObject({ failures: 0, last_failure: null })
  await type(sinks, 'delete mended')
})

test('turnpike alert-channels sets, tests, updates and deletes a channel, and keeps its hidden address', async () => {
  expect(await type(channels, 'list')).toContain('There are no channels.')
  const kinds = '--kinds route.unpriced,sink.failing'
  const hook = await read(channels, `set hook --type webhook --address ${receiver.url}?token=hidden ${kinds}`)
  expect(hook.secret).toStartWith('whsec_')
  expect(await type(channels, 'test hook')).toMatch(/delivered +yes/)
  const [call] = receiver.calls
  expect(call !== undefined && isSignedWith(call, hook.secret)).toBe(true)

  const changed = await type(channels, 'update hook --kinds route.unpriced')
  expect(changed).not.toContain('whsec_')
  expect(changed).toMatch(/kinds +route.unpriced\n/)
  await type(channels, 'disable hook')
  await type(channels, 'enable hook')
  expect(await type(channels, 'list')).not.toContain('hidden')
  await type(channels, 'test hook')
  expect(receiver.calls.map(({ path }) => path)).toEqual(Array(2).fill('/alerts?token=hidden'))

  await type(channels, 'set away --type slack --address http://127.0.0.1:9/services')
  expect(await type(channels, 'test away', 1)).toMatch(/delivered +no/)
  expect((await read(channels, 'update away --type webhook')).secret).toStartWith('whsec_')
  expect(await type(channels, 'delete away')).toContain('away')
})

test('the address of a channel can be piped, so that no command line holds it', async () => {
  const command = [
    'src/cli/turnpike.ts',
    'alert-channels',
    'set',
    'piped',
    '--type',
    'slack',
    '--address',
    '-',
  ]
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN },
    stdin: new Blob([`${receiver.url}/password\n`]),
    stdout: 'pipe',
  })
  expect(await new Response(child.stdout).text()).not.toContain('password')
  expect(await child.exited).toBe(0)
  await type(channels, 'test piped')
  expect(receiver.calls.at(-1)?.path).toBe('/alerts/password')
  await type(channels, 'delete piped')
})

test('turnpike alerts lists what happened, whether it is over and who was told', async () => {
  await gateway.operator('PUT', '/models/bare', { owned_by: 'tests', output_token_limit: 100 })
  const route = '/models/bare/routes/sandbox-openai'
  await gateway.operator('PUT', route, { upstream_model: 'sandbox-chat' })
  const deliver = async () => {
    await gateway.alerts.lookAtPlatform()
    await gateway.alerts.deliverDue(clock.nowMs())
  }
  await deliver()
  await deliver()
  const title = 'The route of bare to sandbox-openai has no price'
  expect(await type(alerts, 'list')).toMatch(
    new RegExp(`route.unpriced +raised +${title} +- +hook delivered`),
  )
  await gateway.operator('DELETE', route)
  await deliver()
  expect(await read(alerts, 'list')).toMatchObject([
    { title, status: 'resolved', subject: 'bare/routes/sandbox-openai', channels: [{ channel: 'hook' }] },
  ])
})
