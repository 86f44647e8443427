import type { ProcessGroup, StartedProcess } from '../process-group.ts'

/** Something a client can talk to instead of the supplier. */
export interface Target {
  readonly name: string
  readonly process: StartedProcess
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Those of other callers: requests take them in turn. */
  readonly moreHeaders?: readonly Readonly<Record<string, string>>[]
  /** What it calls MODEL. */
  readonly model?: string
}

export interface TargetContext {
  readonly processes: ProcessGroup
  readonly upstreamPort: number
  /** A folder that is removed afterwards. */
  readonly folder: string
}

/** Bun allows 256 outgoing requests at once by default, which would measure its queue. `npm start` raises it too. */
export const BUN_ENVIRONMENT = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', NODE_ENV: 'production' }

export const CHAT_PATH = '/v1/chat/completions'
export const MODEL = 'bench-model'
/** Served by a supplier that speaks messages, whatever the client speaks. */
export const TRANSLATED_MODEL = 'bench-translated-model'
