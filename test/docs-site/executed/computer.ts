import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BOOTSTRAP_KEY,
  OPERATOR_TOKEN,
  startTestGateway,
  type TestGateway,
} from '../../support/test-gateway.ts'
import { prepareBlock, SUPPLIER_KEY } from './prepare-block.ts'
import { startVendor } from './vendor.ts'

const PROGRAM = join(import.meta.dirname, '../../../src/cli/turnpike.ts')
const RUNNER = join(import.meta.dirname, 'command-runner.ts')
const SECRET = 'server-secret-for-tests'

/** A machine as the pages have it: with the files they name, and the folder of a node that has stopped. */
export interface Computer {
  /** Starts a gateway on it. */
  openExample(): Promise<Example>
  close(): Promise<void>
}

export interface Example extends AsyncDisposable {
  /** Types commands into a shell. */
  type(script: string): Promise<{ readonly status: number; readonly printed: string }>
}

/** `turnpike` is answered by the runner. Behind a pipe it is the program itself, which reads its input. */
const PRELUDE = `
turnpike() {
  { printf '%s\\0' "$#" "$@"; env -0; } | command curl -sS --data-binary @- "$RUNNER" > "$HOME/printed"
  sed '$d' "$HOME/printed"
  return "$(tail -n 1 "$HOME/printed")"
}
piped() { "$BUN" "$PROGRAM" "$@"; }
npm() { shift 2; if [ "$1" = -- ]; then shift; fi; turnpike "$@"; }
pass() { echo ${SUPPLIER_KEY}; }
curl() { command curl -sS --fail-with-body "$@"; }
operator() {
  curl -X "$1" "$GATEWAY/operator/v1$2" -H "Authorization: Bearer $OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' \${3:+-d "$3"}
}
`

export async function openComputer(): Promise<Computer> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-docs-'))
  const stopped = join(folder, 'stopped')
  mkdirSync(stopped)
  await (await startTestGateway({ dataFolder: stopped })).stop()
  layFiles(folder, stopped)
  const runner = Bun.spawn([process.execPath, RUNNER], { cwd: folder, stdout: 'pipe', stderr: 'inherit' })
  const runnerUrl = await readUrl(runner.stdout)
  const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') })
  const place = { folder, stopped, runnerUrl, receiverUrl: `http://127.0.0.1:${receiver.port}` }
  return {
    openExample: () => openExample(place),
    close: async () => {
      runner.kill()
      await runner.exited
      await receiver.stop(true)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Place {
  readonly folder: string
  readonly stopped: string
  readonly runnerUrl: string
  readonly receiverUrl: string
}

async function openExample(place: Place): Promise<Example> {
  const gateway = await startTestGateway({ environment: { TURNPIKE_PROFILING: 'on' } })
  const vendor = startVendor(gateway.sandbox.url)
  let count = 0
  return {
    type: async (script) => {
      count += 1
      return typeBlock(script, { ...place, gateway, vendorUrl: vendor.url, count })
    },
    [Symbol.asyncDispose]: async () => {
      await vendor.stop()
      await gateway.stop()
    },
  }
}

export interface Typing extends Place {
  readonly gateway: TestGateway
  readonly vendorUrl: string
  readonly count: number
}

/** Commands that open the database themselves. */
const WORKS_ON_FILES = /turnpike (?:journal|backup|operator|secret|usage rebuild)|--offline/

async function typeBlock(script: string, typing: Typing) {
  const { folder, stopped } = typing
  const data = join(folder, 'data')
  rmSync(data, { recursive: true, force: true })
  if (WORKS_ON_FILES.test(script)) cpSync(stopped, data, { recursive: true })
  const found = await prepareBlock(typing, script)
  writeFileSync(join(folder, 'payments.csv'), `account_id,amount,reference\n${found.account},10,invoice-7\n`)
  if (script.includes('turnpike apply')) writeFileSync(join(folder, 'supply.yaml'), SUPPLY_FILE)
  const text = fillPlaceholders(script, { ...typing, ...found })
  const shell = Bun.spawn(['sh', '-eu'], {
    cwd: folder,
    stdin: Buffer.from(PRELUDE + text),
    stdout: 'pipe',
    stderr: 'pipe',
    env: environmentOf(typing, data),
  })
  const [printed, failed] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ])
  const backup = join(folder, 'turnpike-2026-11-17.backup')
  if (existsSync(backup)) copyFileSync(backup, join(folder, 'turnpike.backup'))
  // The next page writes its own.
  rmSync(join(folder, 'supply.yaml'), { force: true })
  return { status: await shell.exited, printed: `${printed}${failed}` }
}

function environmentOf({ folder, runnerUrl, receiverUrl, gateway }: Typing, data: string) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    BUN: process.execPath,
    PROGRAM,
    RUNNER: runnerUrl,
    TURNPIKE_URL: gateway.url,
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    OPERATOR_TOKEN,
    TURNPIKE_SECRET: SECRET,
    TURNPIKE_PAYMENT_WEBHOOK_SECRET: 'whsec-for-tests-0123456789',
    TURNPIKE_DATA: data,
    HOST: '127.0.0.1',
    PORT: new URL(gateway.url).port,
    GATEWAY: gateway.url,
    TURNPIKE: gateway.url,
    KEY: BOOTSTRAP_KEY,
    API_KEY: BOOTSTRAP_KEY,
    OPENAI_API_KEY: SUPPLIER_KEY,
    ACME_KEY: SUPPLIER_KEY,
    SLACK_ADDRESS: `${receiverUrl}/services/T0/B0/xyz`,
    BODY: '{}',
  }
}

interface Found {
  readonly account: string
  readonly key: string
  readonly email: string
}

/** What stands on the pages for something of the reader's own. */
function fillPlaceholders(
  script: string,
  { gateway, account, key, email, ...place }: Typing & Found,
): string {
  const values: readonly (readonly [RegExp, string])[] = [
    [/http:\/\/127\.0\.0\.1:8080/g, gateway.url],
    [/http:\/\/127\.0\.0\.1:9000/g, gateway.sandbox.url],
    [/https:\/\/api\.(acme\.example|example\.com)\/v1/g, `${place.vendorUrl}/v1`],
    [/https:\/\/(hooks|collector)\.example\.com/g, place.receiverUrl],
    [/acc_0123456789abcdef|acc_1\b|acc_…|<account>/g, account],
    [/key_0123456789abcdef|<key>/g, key],
    [/ada@example\.com/g, email],
    [/10\.0\.0\.7|192\.168\.1\.20/g, '127.0.0.1'],
    [/ \/mnt\//g, ` ${place.folder}/mnt/`],
    [/DATABASE_URL=postgres:\/\/… TURNPIKE_SECRET=… /g, ''],
    [/ --route …/g, ''],
    [/sk-…/g, BOOTSTRAP_KEY],
    [/<operator token>/g, OPERATOR_TOKEN],
    [/<their key>/g, SUPPLIER_KEY],
    [/<old>/g, SECRET],
    [/<new>/g, 'another-server-secret-0123456789'],
    [/\| turnpike/g, '| piped'],
  ]
  return values.reduce((text, [from, to]) => text.replace(from, () => to), script)
}

async function readUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of output) {
    text += Buffer.from(piece).toString()
    const port = /^port (\d+)$/m.exec(text)?.[1]
    if (port !== undefined) return `http://127.0.0.1:${port}`
  }
  throw new Error(`the runner ended: ${text}`)
}

const SUPPLY_FILE =
  'suppliers:\n  - { id: mirror, type: openai-compatible, base_url: https://mirror.example/v1, enabled: false }\n'

/** The files and folders that the pages name. */
function layFiles(folder: string, stopped: string): void {
  for (const each of ['.local/share/bash-completion/completions', '.config/fish/completions', 'mnt/backups'])
    mkdirSync(join(folder, each), { recursive: true })
  for (const each of ['old', 'dead-node'])
    cpSync(stopped, join(folder, `mnt/${each}/data`), { recursive: true })
  cpSync(join(stopped, 'journal'), join(folder, 'journal'), { recursive: true })
  const model =
    '  - model_name: quick\n    litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/OPENAI_API_KEY }\n'
  writeFileSync(join(folder, 'config.yaml'), `model_list:\n${model}`)
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [{ key_alias: 'team', max_budget: 5 }] }))
}
