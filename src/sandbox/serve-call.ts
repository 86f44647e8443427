import type { Actor } from './actors/actor.ts'
import { answerCall } from './answer-call.ts'
import type { CallRecord } from './call-log.ts'
import { refuseWith } from './delivery/responses.ts'
import type { Face, Form, FormValue, Incoming, Scene } from './faces/face.ts'
import { type Fault, type FaultPlan, FaultRuleError, parseFault, planFaults } from './faults.ts'
import { imageAddress } from './images/image-store.ts'
import { SandboxError } from './sandbox-error.ts'
import type { Stage } from './stage.ts'

/** Serves one call to a simulated model, from request to the last piece of its answer. */
export async function serveCall(request: Request, face: Face, stage: Stage): Promise<Response> {
  const call = stage.log.open(request, stage.clock.nowMs())
  request.signal.addEventListener('abort', () => stage.log.markAborted(call, stage.clock.nowMs()))
  try {
    checkKey(request, face, stage)
    const isForm = face.takesForm?.(call.path) === true
    if (isForm) checkLength(request, face)
    const body = await (isForm ? stage.uploads(() => readForm(request, call)) : readJson(request, call))
    const scene = openScene(face, describeIncoming(request, { body, call, stage }))
    call.model = scene.ask.model
    const actor = findActor(scene, stage)
    const plan = gatherFaults(request, actor, stage)
    return await answerCall({ scene, actor, plan, call, face, signal: request.signal }, stage)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    call.finished = true
    return refuseWith(error, face)
  }
}

function openScene(face: Face, incoming: Incoming): Scene {
  try {
    return face.open(incoming)
  } catch (error) {
    // A body may nest deeper than the stack.
    if (error instanceof RangeError)
      throw new SandboxError('bad-request', 'The body of your request nests too deeply.')
    throw error
  }
}

export function checkKey(request: Request, face: Face, stage: Stage): void {
  if (!stage.acceptsKey(face.readKey(request))) throw face.refuseKey()
}

function describeIncoming(
  { url, headers }: Request,
  { body, call, stage }: { body: unknown; call: CallRecord; stage: Stage },
): Incoming {
  return {
    path: call.path,
    query: new URL(url).searchParams,
    headers,
    body,
    callNumber: stage.idsAfter + call.number,
    nowMs: call.startedAtMs,
    seals: stage.seals,
    traitsOf: (model) => stage.actors.find((actor) => actor.model === model) ?? null,
    keepImage: (png) => new URL(imageAddress(stage.images.keep(png)), url).href,
  }
}

function findActor({ ask }: Scene, stage: Stage): Actor {
  const actor = stage.actors.find((candidate) => candidate.model === ask.model)
  if (actor !== undefined) return actor
  throw new SandboxError('unknown-model', `The model '${ask.model}' does not exist.`, { field: 'model' })
}

/** From the most general source to the most particular one, which has the last word. */
function gatherFaults(request: Request, actor: Actor, stage: Stage): FaultPlan {
  const callNumber = (stage.callsByModel.get(actor.model) ?? 0) + 1
  stage.callsByModel.set(actor.model, callNumber)
  const own = actor.misbehave?.(callNumber) ?? null
  return planFaults([
    ...(own === null ? [] : [own]),
    ...stage.faults.strike(actor.model),
    ...readFaultHeader(request),
  ])
}

function readFaultHeader(request: Request): Fault[] {
  const header = request.headers.get('x-sandbox-fault')
  if (header === null) return []
  try {
    return [parseFault(JSON.parse(header))]
  } catch (error) {
    const reason = error instanceof FaultRuleError ? error.message : 'it is not JSON'
    throw new SandboxError('bad-request', `Header x-sandbox-fault cannot be used: ${reason}.`)
  }
}

const LARGEST_KEPT_BODY = 256 * 1024

/** Reads a JSON body, and keeps it for the call log unless it is large. */
async function readJson(request: Request, call: CallRecord): Promise<unknown> {
  const text = await request.text()
  const body: unknown = await parse('JSON', async () => JSON.parse(text))
  if (text.length <= LARGEST_KEPT_BODY) call.body = body
  return body
}

async function parse<T>(kind: 'JSON' | 'multipart', read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch {
    throw new SandboxError('bad-request', `We could not parse the ${kind} body of your request.`)
  }
}

/** A form is read into memory, so one that is too large is refused before that. */
function checkLength({ headers }: Request, { maxFormBytes = Number.POSITIVE_INFINITY }: Face): void {
  const bytes = Number(headers.get('content-length') ?? Number.NaN)
  if (maxFormBytes === Number.POSITIVE_INFINITY || bytes <= maxFormBytes) return
  const message = `Maximum content size limit (${maxFormBytes}) exceeded.`
  throw new SandboxError('bad-request', message, { field: 'file' })
}

/** Reads a multipart body. The call log gets its words, and of its files only the sizes. */
async function readForm(request: Request, call: CallRecord): Promise<Form> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) {
    const message = `Unsupported content type: '${type}'. This method takes only 'multipart/form-data'.`
    throw new SandboxError('bad-request', message, { code: 'unsupported_content_type' })
  }
  const form: Form = new Map()
  for (const [name, value] of await parse('multipart', () => request.formData())) {
    const read =
      typeof value === 'string' ? value : { name: value.name, type: value.type, bytes: await value.bytes() }
    const values = form.get(name)
    if (values === undefined) form.set(name, [read])
    else values.push(read)
  }
  call.body = describeForm(form)
  return form
}

/** As the call log shows it: files by their size only. */
function describeForm(form: Form): Readonly<Record<string, readonly unknown[]>> {
  const describe = (value: FormValue) =>
    typeof value === 'string' ? value : { ...value, bytes: value.bytes.length }
  return Object.fromEntries([...form].map(([name, values]) => [name, values.map(describe)]))
}
