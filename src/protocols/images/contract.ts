import Type, { type TSchema } from 'typebox'
import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { ImageReplySchema } from './reply-schema.ts'
import { EditRequestSchema, GenerationRequestSchema } from './schema.ts'

const file = (description: string): TSchema => Type.String({ format: 'binary', description })

/** The form with its files, for the API document. */
const EditForm = Type.Object({
  ...EditRequestSchema.properties,
  image: file('The image to edit: PNG, JPEG or WebP. Send several as `image[]`.'),
  mask: Type.Optional(file('A PNG of the same size. Its transparent areas are edited.')),
})

const common = {
  tag: 'Images',
  answer: {
    description: 'The images, as URLs or in Base64.',
    name: 'Images',
    schema: ImageReplySchema,
    example: {
      created: 1_800_000_000,
      data: [{ url: 'https://gateway.example/assets/0123456789abcdef.png?expires=1800086400&signature=x' }],
    },
    stream:
      'Events `image_generation.partial_image` and `image_generation.completed`, for edits `image_edit.*`, with images in Base64. Usage comes with the completed image.',
  },
} as const

/** The image endpoints. */
export const IMAGE_CONTRACTS = {
  generate: {
    ...common,
    id: 'createImage',
    summary: 'Generate an image',
    description: 'For models with `image` in `gateway.kinds`.',
    body: requestBody('ImageRequest', GenerationRequestSchema, {
      model: 'sandbox-image',
      prompt: 'A lighthouse at dusk',
      size: '1024x1024',
    }),
  },
  edit: {
    ...common,
    id: 'editImage',
    summary: 'Edit an image',
    description: 'For models with `image-edit` in `gateway.kinds`.',
    body: {
      ...requestBody('ImageEditRequest', EditForm, {
        model: 'sandbox-image',
        prompt: 'Add a ship',
        image: '(a file)',
      }),
      contentType: 'multipart/form-data',
    },
  },
} as const satisfies Readonly<Record<string, FormatContract>>
