import type { Box, Stroke } from '../brush.ts'
import { createRamp, type Ramp } from '../colour.ts'
import type { Dice } from '../dice.ts'
import { distance, soften, wash } from '../shapes.ts'
import type { Composition, Setting } from './composition.ts'

/** Tiles with simple shapes, turned this way and that. */
export function composeMosaic(setting: Setting): Composition {
  const { frame, palette, dice, detail } = setting
  const across = Math.max(2, Math.round(dice.count(4, 7) * Math.sqrt(detail)))
  const edge = 1 / across
  const rows = Math.ceil(frame.height / edge)
  const columns = Math.ceil(frame.width / edge)
  const tiles = Array.from({ length: rows * columns }, (_, tile) => ({
    left: (tile % columns) * edge,
    top: Math.floor(tile / columns) * edge,
    edge,
  }))
  return {
    ground: [
      wash(frame, createRamp(palette.light), 0),
      ...tiles.map((tile) => fillTile(tile, createRamp(dice.pick(groundColours(setting))))),
    ],
    motif: tiles.flatMap((tile) => (dice.roll() < 0.12 ? [] : [layShape(tile, setting)])),
  }
}

function groundColours({ palette: { ground, light, dark } }: Setting) {
  return [...ground, light, dark] as const
}

interface Tile {
  readonly left: number
  readonly top: number
  readonly edge: number
}

function boxOf({ left, top, edge }: Tile): Box {
  return { left, top, right: left + edge, bottom: top + edge }
}

function fillTile(tile: Tile, ramp: Ramp): Stroke {
  return { box: boxOf(tile), ramp, cover: (x, y) => (isWithin(tile, x, y) ? 1 : 0) }
}

/** How far inside a shape a place is; a tile goes from 0 to 1 both ways. */
type Shape = (x: number, y: number) => number

const SHAPES: readonly [Shape, ...Shape[]] = [
  (x, y) => 1 - distance(x, y),
  (x, y) => Math.min(1 - distance(x, y), distance(x, y) - 0.5),
  (x, y) => 0.5 - distance(x - 0.5, y),
  (x, y) => (1 - x - y) / Math.SQRT2,
  (x, y) => 0.36 - distance(x - 0.5, y - 0.5),
  (x, y) => Math.min(1 - distance(x, y), 1 - distance(1 - x, 1 - y)),
]

function layShape(tile: Tile, { frame, palette, dice }: Setting): Stroke {
  const shape = turn(dice.pick(SHAPES), dice)
  const cover = (x: number, y: number) => {
    const inside = shape((x - tile.left) / tile.edge, (y - tile.top) / tile.edge) * tile.edge
    return isWithin(tile, x, y) ? soften(inside, frame.pixel) : 0
  }
  return { box: boxOf(tile), ramp: createRamp(dice.pick(palette.accents)), cover }
}

/** A pixel that two tiles share belongs to the one its middle lies in. */
function isWithin({ left, top, edge }: Tile, x: number, y: number): boolean {
  return x >= left && x < left + edge && y >= top && y < top + edge
}

function turn(shape: Shape, dice: Dice): Shape {
  const [flipsX, flipsY] = [dice.roll() < 0.5, dice.roll() < 0.5]
  return (x, y) => shape(flipsX ? 1 - x : x, flipsY ? 1 - y : y)
}
