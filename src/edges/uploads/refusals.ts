import { GatewayError } from '../../errors/gateway-error.ts'

// The rest of an incomplete body must not be read as a new request.
const CLOSE = { connection: 'close' } as const

/** The errors for invalid forms. */
export const refusals = {
  mediaType: (got: string | null) =>
    new GatewayError(
      'unsupported_media_type',
      `The content type is ${got === null ? 'not given' : quote(got)}; send multipart/form-data.`,
    ),
  encoding: (got: string) =>
    new GatewayError('unsupported_media_type', `The content encoding is ${quote(got)}; send the body plain.`),
  noBoundary: () => invalid('The content type has no boundary of 1 to 70 characters.'),
  boundaryNotFound: () =>
    invalid('The body is empty, or does not contain the boundary from the content type.'),
  cutOff: (cause: unknown) =>
    new GatewayError('invalid_request', 'The body ended before the form was complete.', {
      headers: CLOSE,
      cause,
    }),
  tooSlow: (timeoutMs: number) =>
    new GatewayError('invalid_request', `The body did not arrive within ${timeoutMs / 1000} seconds.`, {
      headers: CLOSE,
    }),
  tooLarge: (maxBytes: number) =>
    new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`),
  noSpace: () =>
    new GatewayError('provider_overloaded', 'This gateway is holding too many uploads. Try again shortly.', {
      headers: { 'retry-after': '1' },
    }),
  noName: (place: number) => invalid(`Part ${place} of the form has no valid name.`),
  tooManyFields: (max: number) => invalid(`The form has more than ${max} text fields.`),
  tooManyFiles: (field: string, max: number) =>
    invalid(`The form has more than ${max} ${max === 1 ? 'file' : 'files'}.`, field),
  fieldTooLarge: (field: string, maxBytes: number) =>
    new GatewayError('request_too_large', `The field ${quote(field)} is larger than ${maxBytes} bytes.`, {
      param: shorten(field),
    }),
  fieldNotText: (field: string) => invalid(`The field ${quote(field)} is not valid UTF-8.`, field),
  unknownFile: (field: string, known: readonly string[]) =>
    invalid(`The field ${quote(field)} does not accept files. Send files in ${known.join(' or ')}.`, field),
  fileTooLarge: (field: string, maxBytes: number) =>
    new GatewayError('request_too_large', `A file in ${quote(field)} is larger than ${maxBytes} bytes.`, {
      param: field,
    }),
  emptyFile: (field: string) => invalid(`A file in ${quote(field)} is empty.`, field),
  notAFile: (field: string) => invalid(`${field} must be a file: send it with a file name.`, field),
  notAnImage: (field: string) =>
    invalid(
      `A file in ${quote(field)} is not a PNG, JPEG or WebP image. Its content decides, not its name.`,
      field,
    ),
  imageCutOff: (field: string) => invalid(`The image in ${quote(field)} ends before it is complete.`, field),
  tooManyPixels: (field: string, size: string, maxPixels: number) =>
    invalid(`The image in ${quote(field)} has ${size} pixels; the maximum is ${maxPixels}.`, field),
} as const

function invalid(message: string, param?: string): GatewayError {
  return new GatewayError('invalid_request', message, param === undefined ? {} : { param: shorten(param) })
}

function quote(text: string): string {
  return JSON.stringify(shorten(text))
}

function shorten(text: string): string {
  return text.slice(0, 100)
}
