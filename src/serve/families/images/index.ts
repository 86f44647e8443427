import type { ImageRequest } from '../../../conversation/families/images.ts'
import { IMAGE_CONTRACTS, readEdit, readGeneration } from '../../../protocols/images/index.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { UploadedForm, UploadRules } from '../../ports/uploads.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family, FamilyEndpoint } from '../family.ts'
import { modelContract } from '../model-contract.ts'
import { planImages } from './plan-images.ts'
import { type PreparedImageRequest, prepareImages } from './prepare-images.ts'

/** Generates images from a prompt. */
const generation: Family<string, ImageRequest, PreparedImageRequest> = {
  receive: (exchange) => exchange.readText(),
  read: readGenerationBody,
  modelOf: ({ model }) => model,
  prepare: prepareImages,
  plan: planImages,
}

/** Edits images that the client uploads. */
const edit: Family<UploadedForm, ImageRequest, PreparedImageRequest> = {
  receive: (exchange) => exchange.readForm(UPLOAD_RULES),
  read: (form) => readEdit(form),
  modelOf: ({ model }) => model,
  prepare: prepareImages,
  plan: planImages,
  dispose: (form) => form.dispose(),
}

export const IMAGE_ENDPOINTS: readonly FamilyEndpoint[] = [
  { path: '/v1/images/generations', family: generation, contract: modelContract(IMAGE_CONTRACTS.generate) },
  { path: '/v1/images/edits', family: edit, contract: modelContract(IMAGE_CONTRACTS.edit) },
]

// What every model has in common; the limits of the model itself are checked once it is known.
const UPLOAD_RULES: UploadRules = {
  // Sixteen images to edit, and a mask.
  maxFiles: 17,
  maxBytesPerFile: 25 * 1024 * 1024,
  content: { type: 'image', maxPixels: 100_000_000 },
  maxFields: 64,
  maxFieldBytes: 256 * 1024,
  fileFields: ['image', 'mask'],
}

function readGenerationBody(text: string): MaybePromise<ImageRequest> {
  const body = parseJson(text)
  return text.length > LARGE_BODY_CHARACTERS
    ? yieldLoop().then(() => readGeneration(body))
    : readGeneration(body)
}
