import { Button, Group, Slider, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useMask } from './use-mask.ts'

export interface MaskCanvasProps {
  readonly image: ImageBitmap
  /** Told after each stroke; null when nothing is marked. */
  readonly onMask: (mask: Blob | null) => void
}

const USUAL_BRUSH_PERCENT = 8
const WIDEST_BRUSH_PERCENT = 30

/** Lets a person mark what of a picture may be changed. */
export function MaskCanvas({ image, onMask }: MaskCanvasProps) {
  const [brushPercent, setBrushPercent] = useState(USUAL_BRUSH_PERCENT)
  const { canvas, cursor, isMarked, clear, hands } = useMask({ image, brushPercent, onMask })
  return (
    <Stack gap="xs">
      <div className="mask-stage" style={{ aspectRatio: `${image.width} / ${image.height}` }}>
        <PictureLayer image={image} />
        <canvas
          ref={canvas}
          width={image.width}
          height={image.height}
          className="mask-layer"
          role="img"
          aria-label="What may be changed. The arrow keys move the brush, the space bar paints."
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
          Unmark all
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Paint over what may be changed. Without a mark the whole picture may.
      </Text>
    </Stack>
  )
}

function PictureLayer({ image }: { readonly image: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    canvas.current?.getContext('2d')?.drawImage(image, 0, 0)
  }, [image])
  return (
    <canvas ref={canvas} width={image.width} height={image.height} className="mask-picture" aria-hidden />
  )
}
