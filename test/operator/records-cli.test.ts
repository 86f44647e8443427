import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Command, UsageError } from '../../src/cli/command.ts'
import { createRecordCommands } from '../../src/cli/commands/records.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let command: Command | undefined
let markUps: Command | undefined
beforeAll(async () => {
  gateway = await startTestGateway()
  const environment = { TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const commands = createRecordCommands(environment)
  command = commands.find(({ name }) => name === 'payment-methods')
  markUps = commands.find(({ name }) => name === 'mark-ups')
})
afterAll(() => gateway.stop())

const type = (...words: string[]) => typeTo(command, words)

async function typeTo(receiver: Command | undefined, words: readonly string[]): Promise<string> {
  let printed = ''
  const status = await receiver?.run(words, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  expect(status).toBe(0)
  return printed
}

const LONG = 'Transfer the amount and put the id of your account in the reference.'

test('turnpike payment-methods puts, shows, lists and deletes', async () => {
  expect(await type('list')).toBe('There are no payment methods.\n')
  const flags = ['--name', 'Bank transfer', '--text', LONG, '--position', '3', '--enabled', 'off']
  const stored = { id: 'bank', name: 'Bank transfer', text: LONG, link: null, position: 3, enabled: false }
  expect(JSON.parse(await type('put', 'bank', ...flags, '--json'))).toEqual(stored)
  expect(await type('show', 'bank')).toContain(LONG)
  const listed = await type('list')
  expect(listed).toContain('Transfer the amount and put the id of yo…'.slice(0, 39))
  expect(listed).not.toContain(LONG)
  expect(JSON.parse(await type('list', '--json'))).toEqual([stored])
  expect(await type('delete', 'bank')).toContain('bank')
  expect(await type('list')).toBe('There are no payment methods.\n')
})

test('turnpike payment-methods explains itself and refuses what it cannot do', async () => {
  const help = await type('help')
  for (const word of ['list', 'show <id>', 'put <id> --name … --text …', 'delete <id>']) {
    expect(help).toContain(`turnpike payment-methods ${word}`)
  }
  await expect(type('put', 'bank', '--name', 'Bank')).rejects.toBeInstanceOf(UsageError)
  await expect(type('show', 'cash')).rejects.toThrow('There is no payment method "cash".')
})

test('turnpike mark-ups takes a percentage, which may be negative', async () => {
  const put = (percent: string) =>
    typeTo(markUps, ['put', 'trial', '--applies-to', 'tier', '--name', 'Trial', percent, '--json'])
  expect(JSON.parse(await put('--percent=-12.5'))).toEqual({
    id: 'trial',
    applies_to: 'tier',
    name: 'Trial',
    percent: -12.5,
  })
  await expect(put('--percent=ten')).rejects.toThrow("--percent takes a number, not 'ten'")
  expect(await typeTo(markUps, ['list'])).toContain('-12.5')
})
