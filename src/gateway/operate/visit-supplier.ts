import { type Conversation, NO_SAMPLING } from '../../conversation/conversation.ts'
import { textPart } from '../../conversation/part.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { SupplyContext } from '../../protocols/translation.ts'
import { supplierTypeOf } from '../../suppliers/index.ts'
import { quirksOf } from '../../suppliers/quirks.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import { fitTraits } from '../../vocabulary/traits.ts'
import type { Answer } from '../answer.ts'
import { ask } from '../ask.ts'
import { type LanePlan, tryParse } from '../lane-plan.ts'
import { type Finding, findingOf } from '../ports/diagnostics.ts'
import { fitToQuirks } from '../strip-parameters.ts'
import { failureOf, withoutSecret } from '../supplier-trouble.ts'
import type { DiagnosisParts } from './diagnosis-parts.ts'
import type { Visit } from './plan-visits.ts'

// Room for a model that thinks before it says anything; what it says does not matter.
const MOST_OUTPUT_TOKENS = 64
const LONGEST_QUOTE = 200

export type VisitParts = Pick<DiagnosisParts, 'callSupplier' | 'callTools' | 'clock' | 'patienceMs'>

type Seen = Pick<Finding, 'result' | 'status' | 'latencyMs' | 'hint'>

/** Asks for a word, on the same way a client's request goes, and tells what came of it. */
export async function visitSupplier(visit: Visit, parts: DiagnosisParts): Promise<Seen> {
  const startedAtMs = parts.clock.nowMs()
  const failure = await askForFailure(visit, parts)
  const latencyMs = parts.clock.nowMs() - startedAtMs
  if (failure === null) return { result: 'works', status: 200, latencyMs, hint: '' }
  const hint = hintFor(failure, visit, parts)
  return { result: findingOf(failure.kind), status: failure.status, latencyMs, hint }
}

/** Asks for a word; null when it comes. Nothing of a client's is in the request, so the failure is not about any. */
export async function askForFailure(visit: Visit, parts: VisitParts): Promise<SupplierFailure | null> {
  const answer = await callOnce(visit, parts)
  return answer.type === 'failed' ? withoutSecret(answer.failure, visit.credential.secret) : null
}

async function callOnce(visit: Visit, parts: VisitParts): Promise<Answer> {
  let hasTimedOut = false
  try {
    const plan = planWord(visit)
    const target = await within(parts.patienceMs, findTarget(visit, plan, parts), () => {
      hasTimedOut = true
    })
    return await ask(plan, {
      target,
      credentialId: visit.credential.id,
      callSupplier: parts.callSupplier,
      client: { onLeave: () => () => undefined },
      clock: parts.clock,
      connectMs: parts.patienceMs,
      firstByteMs: parts.patienceMs,
    })
  } catch (error) {
    return { type: 'failed', failure: failureOf(error, hasTimedOut), remaining: null }
  }
}

function planWord({ protocol, model, route, supplier }: Visit): LanePlan {
  const quirks = quirksOf(supplier, protocol.name)
  const context: SupplyContext = {
    upstreamModel: route.upstreamModel,
    route: supplier.id,
    traits: { ...fitTraits(protocol.supplier.traits, model.capabilities), ...quirks?.traits },
    outputTokenLimit: model.outputTokenLimit,
  }
  const { body } = protocol.supplier.encodeRequest(askForWord(model.id), context)
  const plan: LanePlan = {
    supplierProtocol: protocol,
    body: JSON.stringify(body),
    isStreamed: false,
    copies: 1,
    openTap: () => {
      throw new Error('a visit is not streamed')
    },
    readWhole: ([text = '']) => {
      const answer = protocol.supplier.decodeReply(tryParse(text), context)
      return answer && { body: text, facts: { usage: answer.usage, outputCharacters: 0 } }
    },
    dropped: [],
  }
  return quirks === null ? plan : fitToQuirks(plan, quirks, false)
}

function askForWord(model: string): Conversation {
  return {
    model,
    stream: false,
    instructions: [],
    turns: [{ role: 'user', parts: [textPart('Answer with the word ok.')] }],
    tools: [],
    toolChoice: null,
    parallelTools: null,
    sampling: NO_SAMPLING,
    maxOutputTokens: MOST_OUTPUT_TOKENS,
    choices: 1,
    reasoning: null,
    output: { type: 'text' },
    topLogprobs: null,
    verbosity: null,
    endUser: null,
    cacheKey: null,
    metadata: null,
    extras: {},
  }
}

async function findTarget(
  { supplier, credential, route, protocol }: Visit,
  { body }: LanePlan,
  { callTools }: VisitParts,
): Promise<CallTarget> {
  const query = {
    format: protocol.name,
    baseUrl: supplier.baseUrl,
    secret: credential.secret,
    options: supplier.options,
    upstreamModel: route.upstreamModel,
    stream: false,
    body,
    clientHeaders: null,
  }
  return await supplierTypeOf(supplier.type).target(query, callTools)
}

/** Gives up waiting in time; some addresses need a token that has to be fetched first. */
async function within<T>(patienceMs: number, work: Promise<T>, onTimeout: () => void): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    onTimeout()
    reject(new Error('took too long'))
  }, patienceMs)
  try {
    return await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}

function hintFor(failure: SupplierFailure, { supplier }: Visit, { patienceMs }: DiagnosisParts): string {
  if (failure.status === 404) {
    return `It does not know this model or address; compare with "turnpike models refresh ${supplier.id}".`
  }
  switch (failure.kind) {
    case 'credential':
      return 'It refuses this credential; check that the key is right and may use this model.'
    case 'denied':
      return `It refuses the request, but not because of the key: ${quote(failure.message)}`
    case 'local':
      return 'This machine cannot open more connections; raise its limit of open files.'
    case 'rate-limited':
      return 'It has no capacity left for this credential; look at the limits and the balance there.'
    case 'overloaded':
      return 'It is overloaded; try again later.'
    case 'server':
      return 'It failed to answer; try again later, or look at its status page.'
    case 'timeout':
      return `It did not answer within ${Math.ceil(patienceMs / 1000)} seconds.`
    case 'unreachable':
      return 'Nobody answers at its base URL; check the address and the way there.'
    case 'malformed':
      return 'What it answers is not of this format; check its base URL and formats.'
    case 'input':
    case 'context-length':
      return `It refuses the request: ${quote(failure.message)}`
  }
}

function quote(message: string): string {
  return message.replace(/\s+/g, ' ').trim().slice(0, LONGEST_QUOTE)
}
