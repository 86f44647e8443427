import { type Conversation, newConversation } from '../../conversation/conversation.ts'
import { textPart } from '../../conversation/part.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { protocolOf } from '../../protocols/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { SupplyContext } from '../../protocols/translation.ts'
import { ask } from '../../serve/delivery/ask.ts'
import type { CallResult } from '../../serve/delivery/call-result.ts'
import { failureOf, withoutSecret } from '../../serve/delivery/supplier-failures.ts'
import type { LanePlan } from '../../serve/families/text/lanes/lane-plan.ts'
import { fitToQuirks } from '../../serve/families/text/lanes/strip-parameters.ts'
import { quirksOf } from '../../suppliers/index.ts'
import { lastFourOf } from '../../vocabulary/api-key.ts'
import { withTimeout } from '../../vocabulary/clock.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import { fitTraits } from '../../vocabulary/runtime/traits.ts'
import type { Credential, Model, Route, Supplier } from '../../vocabulary/supply.ts'
import { tryParseJson } from '../../wire/json-values.ts'
import { type Diagnostics, type Finding, findingOf, type OwnWay } from '../ports/diagnostics.ts'
import { compareModels, type DiagnosisParts, ownCallTarget } from './compare-models.ts'
import { examinePlatform, type PlatformDiagnosisParts } from './examine-platform.ts'

/** How long one call of the doctor may take: longer would be no answer to somebody who waits for a table. */
export const DOCTOR_PATIENCE_MS = 10_000

// Enough that one silent supplier holds up nobody, too few to look like load to any of them.
const VISITS_AT_ONCE = 4

export function createDiagnostics(parts: DiagnosisParts & PlatformDiagnosisParts): Diagnostics {
  return {
    examineSupply: (supplierId) => examineSupply(parts, supplierId),
    examineOwn: (supplierId, ways) => examineOwn(parts, supplierId, ways),
    examinePlatform: () => examinePlatform(parts),
    compareModels: (supplierId) => compareModels(supplierId, parts),
  }
}

/**
 * Calls every supplier once with each of its credentials, as a request would. Nobody is charged for it here, and
 * routing learns nothing from it.
 */
async function examineSupply(parts: DiagnosisParts, supplierId?: string): Promise<readonly Finding[]> {
  const all = planVisits(parts.snapshot().supply)
  return visitAll(
    parts,
    supplierId === undefined ? all : all.filter(({ supplier }) => supplier.id === supplierId),
  )
}

// An account may have any number of credentials, and somebody waits for the answer.
const MOST_OWN_CREDENTIALS = 10

/** The same for a supplier of an account, whose owner has asked for it and gets the bill. */
async function examineOwn(
  parts: DiagnosisParts,
  supplierId: string,
  ways: readonly OwnWay[],
): Promise<readonly Finding[]> {
  const { supply } = parts.snapshot()
  const supplier = supply.suppliers.get(supplierId)
  if (supplier === undefined) return []
  const credentials = supply.credentialsBySupplier.get(supplierId)?.slice(0, MOST_OWN_CREDENTIALS) ?? []
  if (credentials.length === 0) {
    return visitAll(parts, [leaveOut(supplier, 'not_configured', 'Add a credential to this supplier.')])
  }
  const [way] = ways.flatMap(({ model, route }): Way[] => {
    const protocol = protocolFor(route, supplier)
    return model.kinds.includes('text') && protocol !== null ? [{ model, route, protocol }] : []
  })
  if (way === undefined) {
    return visitAll(parts, [leaveOut(supplier, 'not_configured', 'It serves no text model of this gateway.')])
  }
  return visitAll(parts, planCredentials(supplier, credentials, way))
}

async function visitAll(
  parts: DiagnosisParts,
  planned: readonly PlannedVisit[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = new Array(planned.length)
  const waiting = planned.entries()
  const work = async () => {
    // All workers share one iterator, so each takes the next visit nobody has begun.
    for (const [index, visit] of waiting) findings[index] = await makeFinding(visit, parts)
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, work))
  return findings
}

async function makeFinding(planned: PlannedVisit, parts: DiagnosisParts): Promise<Finding> {
  const { supplier, credential } = planned
  const about = {
    supplierId: supplier.id,
    credentialId: credential?.id ?? null,
    label: credential?.label ?? null,
    lastFour: credential && lastFourOf(credential.secret),
  }
  if (planned.type !== 'visit') {
    const { type: result, hint } = planned
    return { ...about, modelId: null, format: null, result, status: null, latencyMs: null, hint }
  }
  const seen = await visitSupplier(planned, parts)
  return { ...about, modelId: planned.model.id, format: planned.protocol.name, ...seen }
}

/** A call to make: what to ask, whom, and with which credential. */
export interface Visit {
  readonly type: 'visit'
  readonly supplier: Supplier
  readonly credential: Credential
  readonly model: Model
  readonly route: Route
  readonly protocol: Protocol
}

/** A visit, or why there will be none. */
type PlannedVisit =
  | Visit
  | {
      readonly type: 'skipped' | 'not_configured'
      readonly supplier: Supplier
      readonly credential: Credential | null
      readonly hint: string
    }

type Way = Pick<Visit, 'model' | 'route' | 'protocol'>

/** One visit for each supplier and credential, in the order of their ids. */
function planVisits(supply: Supply): PlannedVisit[] {
  const suppliers = [...supply.suppliers.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return suppliers.flatMap((supplier) => planSupplier(supply, supplier))
}

function planSupplier(supply: Supply, supplier: Supplier): PlannedVisit[] {
  if (!supplier.enabled) return [leaveOut(supplier, 'skipped', 'The supplier is disabled.')]
  // A call would be on the bill of an account that has not asked for it.
  if (supplier.source === 'byok') return [leaveOut(supplier, 'skipped', 'It belongs to an account.')]
  const credentials = supply.credentialsBySupplier.get(supplier.id) ?? []
  if (credentials.length === 0) {
    return [leaveOut(supplier, 'not_configured', 'Add a credential to this supplier.')]
  }
  const way = cheapestWay(supply, supplier)
  if (way === null) {
    return [leaveOut(supplier, 'not_configured', 'Give a text model an enabled route with a price to it.')]
  }
  return planCredentials(supplier, credentials, way)
}

function planCredentials(supplier: Supplier, credentials: readonly Credential[], way: Way): PlannedVisit[] {
  return credentials.map((credential) =>
    credential.state === 'active'
      ? { type: 'visit', supplier, credential, ...way }
      : { type: 'skipped', supplier, credential, hint: 'The credential is disabled.' },
  )
}

/** How to ask for a word of this model with a credential, or of another text model there; null when there is no way. */
export function planVisit(
  supply: Supply,
  supplier: Supplier,
  { credential, modelId }: { readonly credential: Credential; readonly modelId: string },
): Visit | null {
  const way = cheapestWay(supply, supplier, modelId) ?? cheapestWay(supply, supplier)
  return way === null ? null : { type: 'visit', supplier, credential, ...way }
}

function leaveOut(supplier: Supplier, type: 'skipped' | 'not_configured', hint: string): PlannedVisit {
  return { type, supplier, credential: null, hint }
}

/** The cheapest text model the supplier has, or this one, and the format it is asked in; null when there is none. */
function cheapestWay(supply: Supply, supplier: Supplier, modelId?: string): Way | null {
  const ways: (Way & { readonly price: Price })[] = []
  for (const route of [...supply.routesByModel.values()].flat()) {
    if (route.supplierId !== supplier.id || !route.enabled || route.price === null) continue
    if (modelId !== undefined && route.modelId !== modelId) continue
    const model = supply.models.get(route.modelId)
    const protocol = protocolFor(route, supplier)
    if (model?.kinds.includes('text') && protocol !== null) {
      ways.push({ model, route, protocol, price: route.price })
    }
  }
  const [cheapest] = ways.sort(
    (a, b) => comparePrices(a.price, b.price) || (a.model.id < b.model.id ? -1 : 1),
  )
  return cheapest ?? null
}

function protocolFor(route: Route, supplier: Supplier): Protocol | null {
  const formats = (route.formats ?? supplier.formats).filter((format) => supplier.formats.includes(format))
  return formats.map(protocolOf).find((protocol) => protocol !== undefined) ?? null
}

function comparePrices(a: Price, b: Price): number {
  return Number(
    a.outputNanoPerMillion - b.outputNanoPerMillion || a.inputNanoPerMillion - b.inputNanoPerMillion,
  )
}

// Room for a model that thinks before it says anything; what it says does not matter.
const MOST_OUTPUT_TOKENS = 64
const LONGEST_QUOTE = 200

export type VisitParts = Pick<DiagnosisParts, 'callSupplier' | 'callTools' | 'clock' | 'patienceMs'>

type Seen = Pick<Finding, 'result' | 'status' | 'latencyMs' | 'hint'>

/** Asks for a word, on the same way a client's request goes, and tells what came of it. */
async function visitSupplier(visit: Visit, parts: DiagnosisParts): Promise<Seen> {
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

async function callOnce(visit: Visit, parts: VisitParts): Promise<CallResult> {
  let hasTimedOut = false
  try {
    const plan = planWord(visit)
    const { supplier, credential, route, protocol } = visit
    const { body } = plan
    const asked = { supplier, credential, format: protocol.name, upstreamModel: route.upstreamModel, body }
    // Some addresses need a token that has to be fetched first.
    const target = await withTimeout(parts.patienceMs, ownCallTarget(asked, parts.callTools), () => {
      hasTimedOut = true
      throw new Error('took too long')
    })
    return await ask(plan, {
      target,
      credentialId: credential.id,
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
      const answer = protocol.supplier.decodeReply(tryParseJson(text), context)
      return answer && { body: text, facts: { usage: answer.usage, outputCharacters: 0 } }
    },
    dropped: [],
  }
  return quirks === null ? plan : fitToQuirks(plan, quirks, false)
}

function askForWord(model: string): Conversation {
  return newConversation({
    model,
    turns: [{ role: 'user', parts: [textPart('Answer with the word ok.')] }],
    maxOutputTokens: MOST_OUTPUT_TOKENS,
  })
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
