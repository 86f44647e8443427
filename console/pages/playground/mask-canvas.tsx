import { Button, Group, Slider, Stack, Text } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

interface MaskCanvasProps {
  readonly image: ImageBitmap
  /** Called after each stroke; null when nothing is marked. */
  readonly onMask: (mask: Blob | null) => void
}

const USUAL_BRUSH_PERCENT = 8
const WIDEST_BRUSH_PERCENT = 30

/** Lets the user mark the area of an image to edit. */
export function MaskCanvas({ image, onMask }: MaskCanvasProps) {
  const [brushPercent, setBrushPercent] = useState(USUAL_BRUSH_PERCENT)
  const { canvas, cursor, isMarked, clear, hands } = useMask({ image, brushPercent, onMask })
  return (
    <Stack gap="xs">
      <div className="mask-stage" style={{ aspectRatio: `${image.width} / ${image.height}` }}>
        <ImageLayer image={image} />
        <canvas
          ref={canvas}
          width={image.width}
          height={image.height}
          className="mask-layer"
          role="img"
          aria-label="Area to edit. Use the arrow keys to move the brush and the space bar to paint."
          tabIndex={0}
          {...hands}
        />
        <div
          className="mask-cursor"
          aria-hidden
          style={{
            left: `${(cursor.x / image.width) * 100}%`,
            top: `${(cursor.y / image.height) * 100}%`,
            width: `${brushPercent}%`,
          }}
        />
      </div>
      <Group gap="md" wrap="nowrap">
        <Text size="sm" id="brush-label">
          Brush
        </Text>
        <Slider
          flex={1}
          min={2}
          max={WIDEST_BRUSH_PERCENT}
          value={brushPercent}
          onChange={setBrushPercent}
          label={null}
          thumbLabel="Brush size"
        />
        <Button variant="default" size="compact-sm" onClick={clear} disabled={!isMarked}>
          Clear mask
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Paint over the area to edit. Without a mask, the whole image can change.
      </Text>
    </Stack>
  )
}

function ImageLayer({ image }: { readonly image: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    canvas.current?.getContext('2d')?.drawImage(image, 0, 0)
  }, [image])
  return <canvas ref={canvas} width={image.width} height={image.height} className="mask-image" aria-hidden />
}

interface Point {
  readonly x: number
  readonly y: number
}

interface MaskBrush {
  readonly canvas: RefObject<HTMLCanvasElement | null>
  /** Where the keyboard paints. */
  readonly cursor: Point
  readonly isMarked: boolean
  clear(): void
  /** The canvas's event handlers. */
  readonly hands: {
    onKeyDown(event: KeyboardEvent): void
    onPointerDown(event: PointerEvent<HTMLCanvasElement>): void
    onPointerMove(event: PointerEvent<HTMLCanvasElement>): void
    onPointerUp(): void
    onPointerCancel(): void
  }
}

interface MaskQuestion {
  readonly image: ImageBitmap
  /** Percentage of the image's width. */
  readonly brushPercent: number
  /** Called after each stroke; null when nothing is marked. */
  readonly onMask: (mask: Blob | null) => void
}

const KEY_STEP_SHARE = 0.02
const MARK = '#0b7a75'

const MOVES: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Marks parts of an image with mouse, finger or keyboard. */
function useMask({ image, brushPercent, onMask }: MaskQuestion): MaskBrush {
  const canvas = useRef<HTMLCanvasElement>(null)
  const last = useRef<Point | null>(null)
  const [cursor, setCursor] = useState<Point>({ x: image.width / 2, y: image.height / 2 })
  const [isMarked, setMarked] = useState(false)
  useEffect(() => {
    wipe(canvas.current)
    setCursor({ x: image.width / 2, y: image.height / 2 })
    setMarked(false)
  }, [image])

  const stroke = (to: Point) => {
    draw(canvas.current, { from: last.current ?? to, to, width: (image.width * brushPercent) / 100 })
    last.current = to
  }
  const finish = () => {
    last.current = null
    if (canvas.current === null) return
    setMarked(true)
    void writeMask(canvas.current).then(onMask)
  }
  const pressKey = (event: KeyboardEvent) => {
    const move = MOVES[event.key]
    if (move === undefined && event.key !== ' ') return
    event.preventDefault()
    if (move === undefined) {
      stroke(cursor)
      finish()
      return
    }
    const step = image.width * KEY_STEP_SHARE
    setCursor({
      x: between(cursor.x + move.x * step, image.width),
      y: between(cursor.y + move.y * step, image.height),
    })
  }
  return {
    canvas,
    cursor,
    isMarked,
    clear: () => {
      wipe(canvas.current)
      setMarked(false)
      onMask(null)
    },
    hands: {
      onKeyDown: pressKey,
      onPointerDown: (event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        stroke(pointOf(event))
      },
      onPointerMove: (event) => {
        if (last.current !== null) stroke(pointOf(event))
      },
      onPointerUp: finish,
      onPointerCancel: finish,
    },
  }
}

function wipe(canvas: HTMLCanvasElement | null): void {
  canvas?.getContext('2d')?.clearRect(0, 0, canvas.width, canvas.height)
}

interface Stroke {
  readonly from: Point
  readonly to: Point
  readonly width: number
}

function draw(canvas: HTMLCanvasElement | null, { from, to, width }: Stroke): void {
  const context = canvas?.getContext('2d')
  if (!context) return
  context.strokeStyle = MARK
  context.lineWidth = width
  context.lineCap = 'round'
  context.beginPath()
  context.moveTo(from.x, from.y)
  context.lineTo(to.x, to.y)
  context.stroke()
}

function pointOf(event: PointerEvent<HTMLCanvasElement>): Point {
  const { width, height } = event.currentTarget
  const box = event.currentTarget.getBoundingClientRect()
  return {
    x: ((event.clientX - box.left) / box.width) * width,
    y: ((event.clientY - box.top) / box.height) * height,
  }
}

function between(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most)
}

/** The mask for the images API: same size, transparent in the area to edit. */
function writeMask(marks: HTMLCanvasElement): Promise<Blob | null> {
  const mask = document.createElement('canvas')
  mask.width = marks.width
  mask.height = marks.height
  const context = mask.getContext('2d')
  if (context === null) return Promise.resolve(null)
  context.fillStyle = '#000'
  context.fillRect(0, 0, mask.width, mask.height)
  const pixels = context.getImageData(0, 0, mask.width, mask.height)
  const marked = marks.getContext('2d')?.getImageData(0, 0, mask.width, mask.height).data
  for (let at = 3; at < pixels.data.length; at += 4) {
    if ((marked?.[at] ?? 0) > 0) pixels.data[at] = 0
  }
  context.putImageData(pixels, 0, 0)
  return new Promise((resolve) => mask.toBlob(resolve, 'image/png'))
}
