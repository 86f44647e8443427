import { describe, expect, test } from 'bun:test'
import packageJson from '../../package.json' with { type: 'json' }
import { run } from './run.ts'

describe('turnpike', () => {
  test('lists its commands', async () => {
    for (const word of ['help', '--help', '-h']) {
      const { status, printed } = await type(word)
      expect(status).toBe(0)
      for (const command of ['sandbox', 'version', 'help']) expect(printed).toContain(`\n  ${command}`)
    }
  })

  test('prints its version', async () => {
    expect(await type('version')).toEqual({
      status: 0,
      printed: `turnpike ${packageJson.version}\n`,
      complaints: '',
    })
  })

  const MISTAKES: [typed: string[], named: string][] = [
    [['frobnicate'], "'frobnicate'"],
    [['--frobnicate'], "'--frobnicate'"],
    [['version', '--loud'], "'--loud'"],
    [['help', 'me'], "'me'"],
    [['sandbox', '--prot', '1'], "'--prot'"],
    [['sandbox', '--port', '70000'], "'70000'"],
    [['sandbox', '--port', ''], "''"],
    [['sandbox', '--port'], '--port'],
  ]
  for (const [typed, named] of MISTAKES) {
    test(`names the mistake in "${typed.join(' ')}" on one line`, async () => {
      const { status, printed, complaints } = await type(...typed)
      expect(status).toBe(2)
      expect(printed).toBe('')
      expect(complaints).toContain(named)
      expect(complaints).toMatch(/^[^\n]+\n$/)
    })
  }

  test('says in one line that a port is taken', async () => {
    using taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const { status, complaints } = await type('sandbox', '--port', String(taken.port))
    expect(status).toBe(1)
    expect(complaints).toContain(String(taken.port))
    expect(complaints).toMatch(/^[^\n]+\n$/)
  })
})

async function type(...args: string[]) {
  let printed = ''
  let complaints = ''
  const status = await run(args, {
    print: (text) => {
      printed += text
    },
    printError: (text) => {
      complaints += text
    },
    untilInterrupted: async () => {},
  })
  return { status, printed, complaints }
}
