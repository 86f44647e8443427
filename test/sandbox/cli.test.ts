import { expect, test } from 'bun:test'
import { COMMAND_LINE } from '../robustness/support/gateway-process.ts'

test('turnpike sandbox prints a command that works, and stops when asked', async () => {
  const child = Bun.spawn([...COMMAND_LINE, 'sandbox', '--port', '0'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    const welcome = await readUntil(child.stdout, /curl .*\n/)
    const command = /curl .*/.exec(welcome)?.[0] ?? ''
    expect(welcome).toMatch(/base URL {2}http:\/\/127\.0\.0\.1:\d+\/v1\n/)
    expect(welcome).toContain('sk-sandbox-local')
    const answer = await runPrinted(command)
    expect(answer).toContain('Hello! I am a simulated model.')
  } finally {
    child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(await new Response(child.stderr).text()).toBe('')
})

test('a mistake ends the process with status 2', async () => {
  const child = Bun.spawn([...COMMAND_LINE, 'sandbox', '--prot', '1'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect(await child.exited).toBe(2)
  expect(await new Response(child.stderr).text()).toBe(
    "turnpike: Unknown option '--prot'. Did you mean --port?\n",
  )
})

async function readUntil(output: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    if (pattern.test(text)) break
  }
  return text
}

// Machines without curl send the very same request with fetch, so the printed line is checked everywhere.
async function runPrinted(command: string): Promise<string> {
  if (Bun.which('curl') !== null) return Bun.$`sh -c ${`${command} --silent`}`.text()
  const url = /curl (\S+)/.exec(command)?.[1] ?? ''
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [
    name ?? '',
    value ?? '',
  ])
  const body = /-d '(.+)'/.exec(command)?.[1] ?? ''
  const response = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body })
  return response.text()
}
