export const WEATHER_SCHEMA = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' as const },
    unit: { type: 'string' as const, enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
}

/** No real image: the sandbox only measures it. */
const data = Buffer.alloc(67).toString('base64')
export const IMAGE = {
  data,
  url: `data:image/png;base64,${data}`,
  remark: 'image/png of 67 bytes',
} as const

/** What a call that must fail fails with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('The call succeeded.')
}
