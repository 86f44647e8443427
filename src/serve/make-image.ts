import { checkTraits } from '../protocols/images/index.ts'
import { imageTraitsOf } from '../vocabulary/runtime/traits.ts'
import { admit } from './admission/admit.ts'
import { checkBeforeBody } from './admission/before-body.ts'
import { RateLimitHeaders, withRateLimitHeaders } from './admission/rate-limit-headers.ts'
import { authenticate, retryOnConfigChange } from './admission/retry-on-config-change.ts'
import { deliver } from './delivery/deliver.ts'
import type { Gateway } from './gateway.ts'
import { respond } from './serve-request.ts'
import { findImageModel } from './families/images/find-image-model.ts'
import { planImages } from './families/images/plan-images.ts'
import {
  describeImages,
  type ReadImageRequest,
  readEditRequest,
  readGenerationRequest,
} from './families/images/read-image-request.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

export function generateImage(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return makeImage(exchange, gateway, readGenerationRequest)
}

export function editImage(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return makeImage(exchange, gateway, readEditRequest)
}

/** Serves one image request, from socket to settlement. Uploads are deleted at the end in every case. */
async function makeImage(exchange: Exchange, gateway: Gateway, read: ReadImageRequest): Promise<Reply> {
  const incoming = { exchange, gateway }
  const first = await checkBeforeBody(await authenticate(incoming), incoming)
  return withRateLimitHeaders(new RateLimitHeaders(first, gateway, exchange), async (limits) => {
    const { imageRequest, dispose } = await read(exchange)
    try {
      const admission = await retryOnConfigChange(first, incoming, (caller) => {
        const target = findImageModel(caller, imageRequest)
        checkTraits(imageRequest, imageTraitsOf(target.model.capabilities))
        return admit({ exchange, caller, target, imageRequest, ...describeImages(imageRequest) }, gateway)
      })
      limits.windows = admission.windows
      return respond(await deliver(admission, gateway, planImages(admission, gateway)))
    } finally {
      await dispose()
    }
  })
}
