import { GatewayError } from '../../../errors/gateway-error.ts'
import type { StateRules } from '../../../protocols/state-rules.ts'
import type { AdmissionRecord } from '../../../vocabulary/settlement.ts'
import { unwritableError } from '../../admission/admission.ts'
import type { BackgroundStart } from '../../admission/prepared-request.ts'
import { findingsOf, InternalExchange } from '../../internal-exchange.ts'
import { jsonReply } from '../../json-reply.ts'
import type { Exchange, Reply } from '../../ports/exchange.ts'
import { NoLongerRunning, TooManyRunning } from '../../ports/state/background-store.ts'
import type { SaveReply, StateParts } from '../reply-state.ts'
import { followReply } from './background-follower.ts'
import { BackgroundRun } from './background-run.ts'

export interface BackgroundRequest extends StateParts {
  readonly exchange: Exchange
  /** As the client sent it, but for references. */
  readonly body: unknown
  /** Of everything that is kept in memory. */
  readonly textLength: number
  readonly isStreamed: boolean
  readonly heartbeat: string
  readonly save: SaveReply
}

const RETRY_AFTER_SECONDS = 5

/** Prepares a request whose reply is made in the background. Refuses it when this node has no room. */
export function prepareBackground(request: BackgroundRequest): BackgroundStart {
  const { exchange, caller, gateway, textLength, isStreamed } = request
  refuseInternal(exchange)
  gateway.background.requireRoom(caller.account.id, textLength)
  if (isStreamed) gateway.background.requireFollower(caller.account.id)
  const { requestId, path, headers, address } = exchange
  const internal = new InternalExchange({ requestId, path, headers, address, text: '' })
  internal.keyHolder = caller
  if (exchange.trace !== undefined) internal.trace = exchange.trace
  return {
    exchange: internal,
    start: (admission, deliver) => start(request, internal, { admission, deliver }),
  }
}

function refuseInternal(exchange: Exchange): void {
  if (!(exchange instanceof InternalExchange)) return
  const message =
    'A response over a WebSocket cannot run in the background. Send it as POST /v1/responses, or without background.'
  throw new GatewayError('unsupported_parameter', message, { param: 'background' })
}

interface Admitted {
  readonly admission: AdmissionRecord
  deliver(): Promise<Reply>
}

async function start(
  request: BackgroundRequest,
  internal: InternalExchange,
  { admission, deliver }: Admitted,
): Promise<Reply> {
  const { rules, gateway, caller, isStreamed, save, exchange, heartbeat } = request
  const id = gateway.newId('resp_')
  const queued = queuedReply(request, rules, id)
  const key = { accountId: caller.account.id, id, nodeId: gateway.background.nodeId }
  const run = new BackgroundRun({
    key,
    queued,
    isStreamed,
    bodyBytes: request.textLength,
    rules: rules.background,
    exchange: internal,
    gateway,
    save,
  })
  // Before it is stored, so that nobody takes it for lost.
  gateway.background.add(run)
  try {
    await run.begin(admission)
  } catch (problem) {
    gateway.background.remove(run)
    throw refusalOf(problem, gateway.maxBackgroundPerAccount)
  }
  const startedAtMs = gateway.clock.nowMs()
  void run.run(deliver).finally(() => {
    gateway.background.remove(run)
    logEnd(internal, gateway, startedAtMs)
  })
  if (!isStreamed) return jsonReply(queued)
  return followReply({ key, after: -1, rules: rules.background, heartbeat, exchange, gateway })
}

/** What the reply has cost is known long after its request was answered, so it has a line of its own. */
function logEnd(
  exchange: InternalExchange,
  { log, clock }: StateParts['gateway'],
  startedAtMs: number,
): void {
  const { requestId, path } = exchange
  const durationMs = clock.nowMs() - startedAtMs
  const findings = findingsOf(exchange)
  log.request({ requestId, method: 'BACKGROUND', path, status: 200, durationMs, findings })
}

function queuedReply({ body, gateway }: BackgroundRequest, rules: StateRules, id: string) {
  return rules.background.queued(body, { id, createdAtMs: gateway.clock.nowMs() })
}

function refusalOf(problem: unknown, maxRunning: number): unknown {
  if (problem instanceof TooManyRunning) {
    const message = `This account has ${maxRunning} background responses under way, as many as it may have.`
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) }
    return new GatewayError('rate_limit_exceeded', message, { headers, param: 'background' })
  }
  if (problem instanceof GatewayError || problem instanceof NoLongerRunning) return problem
  return unwritableError('The response cannot be stored right now; try again later.', problem)
}
