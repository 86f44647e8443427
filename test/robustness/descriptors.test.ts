import { expect, test } from 'bun:test'

test('a machine without file descriptors is named as the cause, and an absent supplier is not mistaken for it', async () => {
  const script = `${import.meta.dir}/support/call-without-descriptors.ts`
  const program = Bun.spawn(['sh', '-c', 'ulimit -n 64 && exec "$0" "$1"', process.execPath, script], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const [without, absent] = JSON.parse(await new Response(program.stdout).text())
  expect(without).toBe('local: This machine has no file descriptors left (EMFILE).')
  expect(absent).toStartWith('unreachable: ')
}, 300_000)
