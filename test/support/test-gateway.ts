import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { layDatabase } from '../../src/edges/storage/testing/sqlite-template.ts'
import type { Alerts } from '../../src/manage/alerts/alerts.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'
import type { SinkSender } from '../../src/manage/sinks/sink-sender.ts'
import type { Sandbox } from '../../src/sandbox/server.ts'
import type { LiveStreams } from '../../src/serve/delivery/live-streams.ts'
import type { SteadyClock } from '../../src/vocabulary/clock.ts'
import { type CollectedLog, createCollectedLog } from './collected-log.ts'
import { LIGHT_PASSWORDS } from './light-passwords.ts'
import { realClock } from './movable-clock.ts'

export const OPERATOR_TOKEN = 'operator-token-for-tests-0123456789'
/** The key of the first account, whose spending has no limit. */
export const BOOTSTRAP_KEY = 'sk-bootstrap-key-for-tests'

export interface TestGatewayOptions {
  readonly clock?: SteadyClock
  readonly random?: () => number
  /** A folder of the test's own, which outlives the gateway; otherwise it has a new one that goes with it. */
  readonly dataFolder?: string
  /** Settings by their environment names, over those every test gateway has. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A real gateway in this process, with its own port, data folder and sandbox. */
export interface TestGateway {
  readonly url: string
  readonly dataFolder: string
  readonly sandbox: Sandbox
  readonly storage: Storage
  readonly streams: LiveStreams
  readonly alerts: Alerts
  readonly sinks: SinkSender
  /** Everything that can be asked of it. */
  readonly endpoints: Turnpike['endpoints']
  /** The first user of the console, made by this start. */
  readonly newUser: Turnpike['newUser']
  readonly log: CollectedLog
  /** Calls the operator API and gives the body of its answer; throws when it refuses. */
  operator<T>(method: string, path: string, body?: unknown): Promise<T>
  stop(): Promise<void>
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataFolder = options.dataFolder ?? (await makeFolderWithDatabase())
  const removeFolder = () => options.dataFolder === undefined && removeDataFolder(dataFolder)
  const log = createCollectedLog()
  try {
    const turnpike = await startTurnpike(testSettings(dataFolder, options.environment), {
      clock: options.clock ?? realClock,
      random: options.random ?? (() => 0.5),
      log,
      passwords: LIGHT_PASSWORDS,
    })
    return {
      dataFolder,
      ...describeGateway(turnpike, log),
      stop: () => turnpike.stop(0).finally(removeFolder),
    }
  } catch (error) {
    removeFolder()
    throw error
  }
}

async function makeFolderWithDatabase(): Promise<string> {
  const folder = makeDataFolder()
  await layDatabase(folder)
  return folder
}

export function makeDataFolder(): string {
  return mkdtempSync(join(tmpdir(), 'turnpike-test-'))
}

export function removeDataFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

function testSettings(dataFolder: string, environment: TestGatewayOptions['environment']) {
  return readSettings({
    PORT: '0',
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_SECRET: 'server-secret-for-tests',
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    TURNPIKE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    TURNPIKE_SANDBOX: 'on',
    TURNPIKE_SUPPLY: 'off',
    ...environment,
  })
}

function describeGateway(turnpike: Turnpike, log: CollectedLog): Omit<TestGateway, 'stop' | 'dataFolder'> {
  const { url, sandbox, storage, streams, alerts, sinks, endpoints, newUser } = turnpike
  if (sandbox === null) throw new Error('the sandbox was not started')
  return {
    url,
    sandbox,
    storage,
    streams,
    alerts,
    sinks,
    endpoints,
    newUser,
    log,
    operator: (method, path, body) => callOperator(`${url}/operator/v1${path}`, method, body),
  }
}

async function callOperator<T>(url: string, method: string, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (response.ok) return (await response.json()) as T
  throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
}
