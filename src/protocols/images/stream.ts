import type { ImageAnswer, ImageLook } from '../../conversation/families/images.ts'
import { addUsage, NO_USAGE, type Usage } from '../../conversation/usage.ts'
import type { GatewayError } from '../../errors/gateway-error.ts'
import { errorEnvelope } from '../../errors/render-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { asText, type JsonObject } from '../../wire/json-values.ts'
import { closeLastEvent, SseFramer, siftEvents, type Verdict, type Weigh } from '../../wire/sse-events.ts'
import { decodeErrorEvent } from '../error-body.ts'
import type { ImageTapFacts } from '../family-sides.ts'
import type { StreamTap } from '../protocol.ts'
import { malformed, readSupplierEvent } from '../supplier-event.ts'
import type { HandedPicture } from './encode-reply.ts'
import { decodeUsage, encodeUsage, estimateImageTokens, readLook, usageOfImages } from './usage.ts'

/** Reads a relayed stream of images. It ends with the last image, which has no marker. */
export class ImageStreamTap implements StreamTap {
  hasContent = false
  failure: SupplierFailure | null = null
  readonly outputCharacters = 0
  /** Images that are complete. */
  images = 0
  readonly #facts: ImageTapFacts
  readonly #framer = new SseFramer()
  /** What all complete images used; null when one of them came without usage. */
  #reported: Usage | null = null
  #look: ImageLook | null
  /** Partial images since the last complete one. */
  #partialImages = 0
  #hasEnded = false

  constructor(facts: ImageTapFacts) {
    this.#facts = facts
    this.#look = facts.look
  }

  get isTerminated(): boolean {
    return this.isComplete
  }

  /** A supplier may make fewer images than asked, as in a whole reply. */
  get isComplete(): boolean {
    if (this.failure !== null) return false
    return this.images >= this.#facts.count || (this.#hasEnded && this.images > 0)
  }

  get usage(): Usage | null {
    return this.images === 0 ? null : usageOfImages(this.#reported, this.images, this.#look)
  }

  /** A client that leaves has an image already, if not in its last quality: its supplier has begun the work for it. */
  get unfinished(): Usage | null {
    if (this.#partialImages === 0) return null
    const { promptTokens, quality } = this.#facts
    const begun = { ...NO_USAGE, images: 1, output: estimateImageTokens(quality, this.#partialImages) }
    const before = this.usage ?? { ...NO_USAGE, input: promptTokens }
    return addUsage(before, begun)
  }

  push(bytes: Uint8Array): Uint8Array | null {
    const framed = this.failure === null ? this.#framer.push(bytes) : null
    return framed === null ? null : siftEvents(framed, this.#weigh)
  }

  end(isBroken = false): Uint8Array | null {
    const rest = this.failure === null ? this.#framer.finish() : null
    const framed = rest === null ? null : closeLastEvent(rest)
    const last = framed === null ? null : siftEvents(framed, this.#weigh)
    this.#hasEnded = !isBroken
    return last
  }

  fail(error: GatewayError): string {
    return `event: error\ndata: ${JSON.stringify({ type: 'error', ...errorEnvelope(error) })}\n\n`
  }

  readonly #weigh: Weigh = (bytes, start, end) => {
    const event = readSupplierEvent(bytes.subarray(start, end), decodeErrorEvent)
    // No money was reserved for more images than requested.
    if (this.images >= this.#facts.count) return event.type === 'ignored' ? 'forward' : 'remove'
    switch (event.type) {
      case 'ignored':
      case 'done':
        return 'forward'
      case 'failure':
        return this.#fail(event.failure)
      case 'object':
        return this.#read(event.value)
    }
  }

  #read(event: JsonObject): Verdict {
    const type = asText(event.type) ?? ''
    const isPartial = type.endsWith('.partial_image')
    if (!isPartial && !type.endsWith('.completed')) return 'forward'
    // An address would reveal the supplier's account, and may stop working at any time.
    if (!asText(event.b64_json)) return this.#fail(malformed('an image without its bytes'))
    this.hasContent = true
    if (isPartial) {
      this.#partialImages += 1
      return 'forward'
    }
    const used = decodeUsage(event.usage)
    if (this.images === 0) this.#reported = used
    else this.#reported = this.#reported && used && addUsage(this.#reported, used)
    const look = readLook(event.size, event.quality)
    if (look !== null) this.#look = { ...this.#look, ...look }
    this.images += 1
    this.#partialImages = 0
    return 'forward'
  }

  #fail(failure: SupplierFailure): Verdict {
    this.failure = failure
    return 'stop'
  }
}

export interface StreamedReply extends Pick<ImageAnswer, 'usage' | 'remarks'> {
  readonly createdAtMs: number
  readonly isEdit: boolean
}

/** Writes whole images as the stream that the client asked for. The last of them has the usage of all. */
export function encodeEvents(
  pictures: readonly (HandedPicture & { readonly mediaType: string })[],
  { createdAtMs, isEdit, usage, remarks }: StreamedReply,
): string {
  const type = isEdit ? 'image_edit.completed' : 'image_generation.completed'
  const { usage: said, ...others } = remarks
  const reported = said ?? (usage === null ? undefined : encodeUsage(usage))
  return pictures
    .map(({ value, mediaType, revisedPrompt }, index) => {
      const event = {
        type,
        b64_json: value,
        created_at: Math.floor(createdAtMs / 1000),
        background: 'auto',
        quality: 'auto',
        size: 'auto',
        output_format: mediaType.replace(/^image\//, ''),
        ...others,
        ...(revisedPrompt !== null && { revised_prompt: revisedPrompt }),
        ...(index === pictures.length - 1 && reported !== undefined && { usage: reported }),
      }
      return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
    })
    .join('')
}
