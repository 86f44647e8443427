/** The five ways PNG can lay out a pixel, all with one byte for each channel. */
export const COLOUR_TYPES = {
  grey: { code: 0, channels: 1 },
  rgb: { code: 2, channels: 3 },
  palette: { code: 3, channels: 1 },
  'grey-alpha': { code: 4, channels: 2 },
  rgba: { code: 6, channels: 4 },
} as const satisfies Record<string, { code: number; channels: number }>

export type ColourType = keyof typeof COLOUR_TYPES

const byCode = new Map<number, ColourType>(
  Object.entries(COLOUR_TYPES).map(([name, { code }]) => [code, name as ColourType]),
)

export function findColourType(code: number): ColourType | null {
  return byCode.get(code) ?? null
}
