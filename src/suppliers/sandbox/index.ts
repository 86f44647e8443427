import type { Format } from '../../vocabulary/supply.ts'
import { googleModels, openaiModels } from '../model-lists.ts'
import {
  ANTHROPIC_STYLE_FORMATS,
  anthropicStyleTarget,
  cohereStyleTarget,
  GOOGLE_STYLE_FORMATS,
  googleStyleTarget,
  OPENAI_STYLE_FORMATS,
  openaiStyleTarget,
  takesForwardedBeta,
  trimSlashes,
  VOYAGE_STYLE_FORMATS,
  voyageStyleTarget,
} from '../styles.ts'
import type { CallQuery, CallTarget, ModelList, SupplierType } from '../supplier-type.ts'

/** The built-in simulator, addressed over the network like any other supplier. It speaks every format at one origin. */
export const sandbox: SupplierType = {
  name: 'sandbox',
  label: 'Sandbox',
  exampleUrl: 'http://127.0.0.1:8080',
  isSimulated: true,
  aborts: 'free',
  formats: [
    ...OPENAI_STYLE_FORMATS,
    ...ANTHROPIC_STYLE_FORMATS,
    ...GOOGLE_STYLE_FORMATS,
    'cohere',
    'titan',
    ...VOYAGE_STYLE_FORMATS,
  ],
  modelList: sandboxModels,
  takesBeta: takesForwardedBeta,
  target: sandboxTarget,
}

const HOST = 'sandbox.turnpike.invalid'

/**
 * The stored address of the built-in sandbox, the same for every node and every start. Each node replaces it with the
 * address of its own sandbox. No real host name ends in `.invalid`.
 */
export const SANDBOX_ORIGIN = `http://${HOST}`

/** A call to the stored address of the sandbox goes to the sandbox of this node; others stay as they are. */
export function callSandboxHere(target: CallTarget, sandboxUrl: string | null): CallTarget {
  if (!target.url.startsWith(`${SANDBOX_ORIGIN}/`)) return target
  return {
    ...target,
    url: requireSandbox(sandboxUrl) + target.url.slice(SANDBOX_ORIGIN.length),
    // The sandbox builds the URLs of its images from the host it is called by.
    headers: { ...target.headers, host: HOST },
  }
}

/** The same for a request. */
export function redirectToSandbox(request: Request, sandboxUrl: string | null): Request {
  if (!request.url.startsWith(`${SANDBOX_ORIGIN}/`)) return request
  return new Request(requireSandbox(sandboxUrl) + request.url.slice(SANDBOX_ORIGIN.length), request)
}

function requireSandbox(sandboxUrl: string | null): string {
  if (sandboxUrl === null) throw new Error('This node runs no sandbox.')
  return sandboxUrl
}

/** Base URLs in the form of the SDKs mean the same server. */
function originOf(baseUrl: string): string {
  return trimSlashes(baseUrl).replace(/\/v1(beta)?$/, '')
}

function sandboxTarget(query: CallQuery): CallTarget {
  const origin = originOf(query.baseUrl)
  if (OPENAI_STYLE_FORMATS.includes(query.format))
    return openaiStyleTarget({ ...query, baseUrl: `${origin}/v1` })
  if (ANTHROPIC_STYLE_FORMATS.includes(query.format))
    return anthropicStyleTarget({ ...query, baseUrl: origin })
  if (query.format === 'cohere') return cohereStyleTarget({ ...query, baseUrl: origin })
  if (query.format === 'titan') return invokeTarget(query, origin)
  if (VOYAGE_STYLE_FORMATS.includes(query.format))
    return voyageStyleTarget({ ...query, baseUrl: `${origin}/voyage/v1` })
  return googleStyleTarget({ ...query, baseUrl: origin })
}

/** Where Bedrock invokes models that have a format of their own. */
function invokeTarget({ upstreamModel, secret }: CallQuery, origin: string): CallTarget {
  return {
    url: `${origin}/model/${encodeURIComponent(upstreamModel)}/invoke`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
  }
}

/** The sandbox has two lists at one origin; its first format says which vendor it simulates. */
function sandboxModels([format]: readonly Format[]): ModelList {
  const isGoogle = format !== undefined && GOOGLE_STYLE_FORMATS.includes(format)
  const list = isGoogle ? googleModels : openaiModels
  return {
    ...list,
    address: (baseUrl, cursor) => {
      const origin = originOf(baseUrl)
      return list.address(isGoogle ? origin : `${origin}/v1`, cursor)
    },
  }
}
