import { randomBytes } from 'node:crypto'
import { createActors, type SlowPace } from './actors/index.ts'
import { type CallRecord, createCallLog } from './call-log.ts'
import { refuseWith } from './delivery/responses.ts'
import { createTurnstile, type Wait, waitForReal } from './delivery/wait.ts'
import { FACES, faceAt } from './faces/index.ts'
import { createFaultRules, type FaultControl, FaultRuleError, parseRule } from './faults.ts'
import { createImageStore, serveImage } from './images/image-store.ts'
import { createPromptCache } from './performance/prompt-cache.ts'
import { SandboxError } from './sandbox-error.ts'
import { createSeals } from './seals.ts'
import { checkKey, serveCall } from './serve-call.ts'
import type { SandboxClock, Stage } from './stage.ts'

export interface SandboxOptions {
  /** 0 lets the system choose. */
  readonly port?: number
  readonly hostname?: string
  /** The only accepted key; null accepts every call; any key that starts with `sk-sandbox` when absent. */
  readonly requireKey?: string | null
  readonly clock?: SandboxClock
  /** How pauses are made; a test gives its own to pass them without waiting. */
  readonly wait?: Wait
  /** The pauses of `sandbox-slow`. */
  readonly slowPace?: SlowPace
  /** Signs thoughts; a new one for every sandbox when absent, so that none accepts another's. */
  readonly sealSecret?: string
}

export interface Sandbox {
  readonly port: number
  /** Without a path: `http://127.0.0.1:9000`. */
  readonly url: string
  readonly faults: FaultControl
  /** The most recent calls, oldest first. */
  readonly calls: readonly CallRecord[]
  /** Resolves with the next call whose caller leaves before its answer is complete. */
  nextAbort(): Promise<CallRecord>
  /** Closes every connection, answered or not. */
  stop(): Promise<void>
}

const DEFAULT_PACE: SlowPace = { beforeFirstByteMs: 2000, betweenPiecesMs: 200 }

/** Starts a simulated supplier that anyone on this machine can call. */
export function startSandbox(options: SandboxOptions = {}): Sandbox {
  const stage = buildStage(options)
  const startedAtMs = stage.clock.nowMs()
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: options.hostname ?? '127.0.0.1',
    // A hanging or slow answer is silent on purpose; the server must not close it.
    idleTimeout: 0,
    // Otherwise every connection destroyed on purpose would print its error.
    development: false,
    // Outside of development Bun would share the port with another sandbox, and calls would go to either.
    reusePort: false,
    fetch: (request) => route(request, stage, startedAtMs),
  })
  return {
    port: server.port ?? 0,
    url: `http://${server.hostname}:${server.port}`,
    faults: stage.faults,
    calls: stage.log.calls,
    nextAbort: () => stage.log.nextAbort(),
    stop: () => server.stop(true),
  }
}

// Clients keep ids for weeks, so a sandbox that starts later must not repeat those of an earlier one.
const IDS_PER_MS = 1_000
const UPLOADS_AT_ONCE = 1

function buildStage(options: SandboxOptions): Stage {
  const { requireKey, wait, slowPace, sealSecret, clock = { nowMs: () => Date.now() } } = options
  return {
    actors: createActors(slowPace ?? DEFAULT_PACE),
    faults: createFaultRules(),
    log: createCallLog(),
    promptCache: createPromptCache(),
    seals: createSeals(sealSecret ?? crypto.randomUUID()),
    images: createImageStore({
      nowMs: clock.nowMs,
      inventName: () => randomBytes(24).toString('base64url'),
    }),
    uploads: createTurnstile(UPLOADS_AT_ONCE),
    clock,
    wait: wait ?? waitForReal,
    acceptsKey: (key) => acceptsKey(key, requireKey),
    idsAfter: clock.nowMs() * IDS_PER_MS,
    callsByModel: new Map(),
  }
}

function acceptsKey(key: string | null, required: string | null | undefined): boolean {
  if (required === null) return true
  return required === undefined ? key?.startsWith('sk-sandbox') === true : key === required
}

async function route(request: Request, stage: Stage, startedAtMs: number): Promise<Response> {
  const path = new URL(request.url).pathname
  if (path === '/sandbox/faults') return serveFaults(request, stage.faults)
  const image = request.method === 'GET' ? serveImage(path, stage.images) : null
  if (image !== null) return image
  const face = FACES.find((candidate) => candidate.claims(request.method, path))
  if (face !== undefined) return serveCall(request, face, stage)
  const home = faceAt(path)
  try {
    checkKey(request, home, stage)
    const catalog = { models: stage.actors, startedAtMs }
    const listing = request.method === 'GET' ? (home.list?.(path, catalog) ?? null) : null
    if (listing !== null) return Response.json(listing)
    throw new SandboxError('unknown-path', `Unknown request URL: ${request.method} ${path}.`)
  } catch (error) {
    if (error instanceof SandboxError) return refuseWith(error, home)
    throw error
  }
}

/** The fault rules over HTTP. No key is asked for: only this machine can reach the sandbox. */
async function serveFaults(request: Request, faults: FaultControl): Promise<Response> {
  switch (request.method) {
    case 'GET':
      return Response.json(faults.list())
    case 'PUT':
      return replaceRules(request, faults)
    case 'DELETE':
      faults.clear()
      return new Response(null, { status: 204 })
    default:
      return new Response(null, { status: 405, headers: { allow: 'GET, PUT, DELETE' } })
  }
}

async function replaceRules(request: Request, faults: FaultControl): Promise<Response> {
  try {
    const body: unknown = await request.json()
    if (!Array.isArray(body)) throw new FaultRuleError('the body must be a list of rules')
    const rules = body.map(parseRule)
    faults.clear()
    for (const rule of rules) faults.set(rule)
    return Response.json(faults.list())
  } catch (error) {
    const message = error instanceof FaultRuleError ? error.message : 'the body must be JSON'
    return Response.json({ error: { message } }, { status: 400 })
  }
}
