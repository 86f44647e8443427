/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** A colour by how people see it: equal steps of lightness look equal at every hue. */
export interface Perceived {
  /** 0 is black, 1 is white. */
  readonly lightness: number
  /** 0 is grey; 0.3 is more than a screen can show. */
  readonly chroma: number
  readonly hueDegrees: number
}

/** From the Oklab space, whose matrices these are, to what a screen takes. */
export function toColour({ lightness, chroma, hueDegrees }: Perceived): Colour {
  const angle = (hueDegrees * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    toScreen(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    toScreen(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    toScreen(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ]
}

function toScreen(light: number): number {
  const held = Math.min(1, Math.max(0, light))
  const value = held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055
  return Math.round(value * 255)
}

const RAMP_STEPS = 1024

/** Many colours between a few, so that a brush only looks up what it needs. */
export interface Ramp {
  /** Three bytes for each step. */
  readonly steps: Uint8Array
}

export function createRamp(...stops: readonly [Colour, ...Colour[]]): Ramp {
  const steps = new Uint8Array(RAMP_STEPS * 3)
  for (let step = 0; step < RAMP_STEPS; step++) {
    const place = (step / (RAMP_STEPS - 1)) * (stops.length - 1)
    const from = stops[Math.floor(place)] ?? stops[0]
    const to = stops[Math.ceil(place)] ?? from
    steps.set(mix(from, to, place % 1), step * 3)
  }
  return { steps }
}

export function mix(from: Colour, to: Colour, share: number): Colour {
  const between = (channel: 0 | 1 | 2) => Math.round(from[channel] + (to[channel] - from[channel]) * share)
  return [between(0), between(1), between(2)]
}

/** Where the colour at this tone, 0 to 1, stands in the ramp. */
export function rampOffset(tone: number): number {
  const held = tone < 0 ? 0 : tone > 1 ? 1 : tone
  return Math.round(held * (RAMP_STEPS - 1)) * 3
}
