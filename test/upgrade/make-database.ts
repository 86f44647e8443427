import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, makeFolder, startProcess } from '../robustness/support/gateway-process.ts'
import { dumpDatabase } from './old-database.ts'

/**
 * Makes a database with an older version, for the test beside this. Once for every release that changed the schema:
 *
 *   git worktree add ../old <tag> && cd ../old && npm ci && cd -
 *   bun test/upgrade/make-database.ts ../old <tag> test/upgrade/databases/<tag>.sql
 */
const [program = '', madeBy = '', output = ''] = process.argv.slice(2)
const folder = makeFolder()
const gateway = await startProcess(environmentOf(folder), {
  program: [process.execPath, join(program, 'src/main.ts')],
})
try {
  const { id: accountId } = await gateway.operator<{ id: string }>('POST', '/accounts', {
    name: 'Acme',
    email: 'billing@acme.example',
  })
  await gateway.operator('POST', `/accounts/${accountId}/payments`, { amount: '10', reference: 'invoice-1' })
  await gateway.operator('POST', `/accounts/${accountId}/refunds`, {
    amount: '1.5',
    reference: 'refund-1',
    reason: 'asked for',
  })
  await gateway.operator('PUT', '/suppliers/acme', {
    type: 'openai-compatible',
    base_url: 'https://api.example.com/v1',
    formats: ['chat-completion'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/acme/credentials', { secret: 'acme-secret-of-a-test' })
  const { secret: key } = await gateway.operator<{ secret: string }>('POST', `/accounts/${accountId}/keys`, {
    name: 'ci',
    rpm: 60,
  })
  const post = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', ...body }),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as T
  }
  const messages = [{ role: 'user', content: 'Hello!' }]
  for (let count = 0; count < 3; count += 1) await post('/v1/chat/completions', { messages })
  const stored = await post<{ id: string; output: unknown }>('/v1/responses', {
    input: 'Hello!',
    store: true,
  })
  // Settlements are in the database before the process ends.
  gateway.signal('SIGTERM')
  if ((await gateway.exited) !== 0) throw new Error(gateway.errors())
  const again = await startProcess(environmentOf(folder), {
    program: [process.execPath, join(program, 'src/main.ts')],
  })
  const { balance } = await again.operator<{ balance: string }>('GET', `/accounts/${accountId}`)
  again.signal('SIGTERM')
  await again.exited
  dumpDatabase(
    folder,
    {
      madeBy,
      key,
      accountId,
      balance,
      settlements: 4,
      responseId: stored.id,
      responseOutput: JSON.stringify(stored.output),
    },
    output,
  )
} finally {
  gateway.signal('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
