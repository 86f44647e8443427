import {
  ANTHROPIC_STYLE_FORMATS,
  anthropicStyleTarget,
  GOOGLE_STYLE_FORMATS,
  googleStyleTarget,
  OPENAI_STYLE_FORMATS,
  openaiStyleTarget,
} from '../styles.ts'
import { type CallQuery, type CallTarget, type SupplierType, trimSlashes } from '../supplier-type.ts'

/** The built-in simulator, addressed over the network like any other supplier. It speaks every format at one origin. */
export const sandbox: SupplierType = {
  name: 'sandbox',
  label: 'Sandbox',
  exampleUrl: 'http://127.0.0.1:8080',
  isSimulated: true,
  formats: [...OPENAI_STYLE_FORMATS, ...ANTHROPIC_STYLE_FORMATS, ...GOOGLE_STYLE_FORMATS],
  target: sandboxTarget,
}

function sandboxTarget(query: CallQuery): CallTarget {
  // Base URLs in the form of the SDKs mean the same server.
  const origin = trimSlashes(query.baseUrl).replace(/\/v1(beta)?$/, '')
  if (OPENAI_STYLE_FORMATS.includes(query.format))
    return openaiStyleTarget({ ...query, baseUrl: `${origin}/v1` })
  if (ANTHROPIC_STYLE_FORMATS.includes(query.format))
    return anthropicStyleTarget({ ...query, baseUrl: origin })
  return googleStyleTarget({ ...query, baseUrl: origin })
}
