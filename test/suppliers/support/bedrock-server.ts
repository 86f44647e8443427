import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeChunk } from '../../../src/suppliers/bedrock/testing/write-frame.ts'
import { type AwsAccount, type Complaint, checkAwsSignature, type RawRequest } from './check-aws-signature.ts'
import { askSandbox, readEventData } from './sandbox-behind.ts'

/** What is sent in place of the frames of one stream; a promise is waited for before what comes after it is sent. */
export type Disturb = (frames: readonly Uint8Array[]) => readonly (Uint8Array | Promise<unknown>)[]

/** Stands where Bedrock does: checks the signature, speaks its framing, and lets a sandbox answer. */
export interface BedrockServer {
  readonly url: string
  readonly requests: RawRequest[]
  /** What becomes of every stream from now on. */
  disturb(change: Disturb | null): void
  stop(): Promise<void>
}

export interface BedrockParts {
  readonly account: AwsAccount
  /** Accepted as a bearer token. */
  readonly apiKey: string
  readonly sandboxUrl: string
}

export async function startBedrockServer(parts: BedrockParts): Promise<BedrockServer> {
  const requests: RawRequest[] = []
  let change: Disturb | null = null
  // Not Bun's own server: AWS signs the path as it was sent, and this one shows it untouched.
  const server = createServer((incoming, outgoing) => {
    readRaw(incoming)
      .then((request) => {
        requests.push(request)
        return serve(request, outgoing, { ...parts, disturb: change })
      })
      .catch((error) => outgoing.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    disturb: (next) => {
      change = next
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readRaw(incoming: IncomingMessage): Promise<RawRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = new Map<string, string>()
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.set((incoming.rawHeaders[index] ?? '').toLowerCase(), incoming.rawHeaders[index + 1] ?? '')
  return { method: incoming.method ?? '', target: incoming.url ?? '', headers, body: Buffer.concat(chunks) }
}

type Served = BedrockParts & { readonly disturb: Disturb | null }

async function serve(request: RawRequest, outgoing: ServerResponse, parts: Served): Promise<void> {
  const complaint = checkCaller(request, parts)
  if (complaint !== null) return refuse(outgoing, 403, complaint)
  const [, model, method] =
    /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(request.target) ?? []
  const body = JSON.parse(Buffer.from(request.body).toString())
  if (request.target === '/openai/v1/chat/completions')
    return pass(await askSandbox(parts.sandboxUrl, '/v1/chat/completions', body), outgoing)
  if (model === undefined)
    return refuse(outgoing, 404, { type: 'UnknownOperationException', message: 'No such operation.' })
  if ('inputText' in body) return pass(await askSandbox(parts.sandboxUrl, request.target, body), outgoing)
  if ('texts' in body) return embedWithCohere({ ...body, model: sandboxModel(model) }, outgoing, parts)
  const extraneous = ['model', 'stream'].find((name) => name in body)
  if (extraneous !== undefined || body.anthropic_version !== 'bedrock-2023-05-31') {
    const message = `extraneous key [${extraneous}] is not permitted, or no anthropic_version`
    return refuse(outgoing, 400, { type: 'ValidationException', message })
  }
  const { anthropic_version, anthropic_beta, ...rest } = body
  const stream = method === 'invoke-with-response-stream'
  const asked = { ...rest, model: sandboxModel(model), stream }
  const answer = await askSandbox(parts.sandboxUrl, '/v1/messages', asked)
  if (!answer.ok) {
    const message = ((await answer.json()) as { error: { message: string } }).error.message
    return refuse(outgoing, answer.status, { type: 'ValidationException', message })
  }
  return stream ? sendFrames(answer, outgoing, parts.disturb) : pass(answer, outgoing)
}

/** As Bedrock does it: the tokens stand in a header, and not in the body. */
async function embedWithCohere(
  body: object,
  outgoing: ServerResponse,
  { sandboxUrl }: BedrockParts,
): Promise<void> {
  const answer = await askSandbox(sandboxUrl, '/v2/embed', body)
  const { meta, ...rest } = (await answer.json()) as {
    meta?: { billed_units: { input_tokens: number } }
    message?: string
  }
  if (meta === undefined)
    return refuse(outgoing, answer.status, { type: 'ValidationException', message: rest.message ?? '' })
  const tokens = String(meta.billed_units.input_tokens)
  outgoing.writeHead(200, {
    'content-type': 'application/json',
    'x-amzn-bedrock-input-token-count': tokens,
  })
  outgoing.end(JSON.stringify(rest))
}

// The sandbox knows its models by short names only.
function sandboxModel(escaped: string): string {
  return /sandbox-[a-z]+/.exec(decodeURIComponent(escaped))?.[0] ?? escaped
}

function checkCaller(request: RawRequest, { account, apiKey }: BedrockParts): Complaint | null {
  if (request.headers.get('authorization') === `Bearer ${apiKey}`) return null
  return checkAwsSignature(request, account)
}

function refuse(outgoing: ServerResponse, status: number, { type, message }: Complaint): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:` })
  outgoing.end(JSON.stringify({ message }))
}

async function pass(answer: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  outgoing.end(Buffer.from(await answer.arrayBuffer()))
}

async function sendFrames(
  answer: Response,
  outgoing: ServerResponse,
  disturb: Disturb | null,
): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  const frames = (await readEventData(answer)).map(writeChunk)
  for (const cue of disturb === null ? frames : disturb(frames)) {
    const frame = cue instanceof Promise ? await cue.then(() => new Uint8Array()) : cue
    // In two pieces, so that a reader never finds whole frames by chance.
    const middle = Math.floor(frame.length / 2)
    outgoing.write(frame.subarray(0, middle))
    outgoing.write(frame.subarray(middle))
  }
  outgoing.end()
}
