import { expect, test } from 'bun:test'
import { encodePng } from '../png/encode-png.ts'
import { isOpaque, type Raster } from '../raster.ts'
import { type PaintingWish, paintPicture } from './paint-picture.ts'

const PROMPTS = ['a cat', 'a cat.', 'A cat', 'a dog', 'blue sea', 'forest', 'tower', 'waves', 'sunset', '']

function wish(fields: Partial<PaintingWish>): PaintingWish {
  const usual = { prompt: 'a cat', variant: 0, mood: 'vivid', detail: 1, isTransparent: false } as const
  return { ...usual, width: 64, height: 48, ...fields }
}

test('the same wish gives the same bytes', () => {
  for (const prompt of PROMPTS) {
    const [one, other] = [
      encodePng(paintPicture(wish({ prompt }))),
      encodePng(paintPicture(wish({ prompt }))),
    ]
    expect(Buffer.from(one).equals(other)).toBe(true)
  }
})

test('different prompts give visibly different pictures', () => {
  const pictures = PROMPTS.map((prompt) => paintPicture(wish({ prompt })))
  pictures.forEach((one, position) => {
    for (const other of pictures.slice(position + 1)) expect(meanDifference(one, other)).toBeGreaterThan(8)
  })
})

test('everything that was wished for can be seen', () => {
  const usual = paintPicture(wish({}))
  for (const fields of [{ variant: 1 }, { mood: 'natural' }, { detail: 2 }] as const) {
    expect(meanDifference(usual, paintPicture(wish(fields)))).toBeGreaterThan(1)
  }
})

test('a picture is covered all over, and is not of one colour', () => {
  for (const prompt of PROMPTS) {
    const picture = paintPicture(wish({ prompt }))
    expect(isOpaque(picture)).toBe(true)
    expect(new Set(new Uint32Array(picture.pixels.buffer)).size).toBeGreaterThan(8)
  }
})

test('a transparent background leaves only the motif', () => {
  for (const prompt of PROMPTS) {
    const { pixels } = paintPicture(wish({ prompt, isTransparent: true }))
    const alphas = pixels.filter((_, at) => at % 4 === 3)
    expect(alphas.some((alpha) => alpha === 0)).toBe(true)
    expect(alphas.some((alpha) => alpha > 200)).toBe(true)
  }
})

test('has the size that was asked for, however odd', () => {
  for (const size of [
    { width: 1, height: 1 },
    { width: 300, height: 2 },
    { width: 3, height: 200 },
  ]) {
    const picture = paintPicture(wish(size))
    expect(picture).toMatchObject(size)
    expect(picture.pixels).toHaveLength(size.width * size.height * 4)
  }
})

test('a prompt that names a colour gets it', () => {
  const redness = (prompt: string) => {
    const { pixels } = paintPicture(wish({ prompt }))
    const sum = (channel: number) => pixels.filter((_, at) => at % 4 === channel).reduce((a, b) => a + b, 0)
    return sum(0) / sum(2)
  }
  const average = (colour: string) =>
    ['house', 'river', 'hat', 'bird', 'ship'].reduce((sum, thing) => sum + redness(`${colour} ${thing}`), 0)
  expect(average('red')).toBeGreaterThan(average('blue'))
})

function meanDifference(one: Raster, other: Raster): number {
  const sum = one.pixels.reduce((total, value, at) => total + Math.abs(value - (other.pixels[at] ?? 0)), 0)
  return sum / one.pixels.length
}
