import { NativeSelect, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { CHAT_FORMATS, type ChatFormat, type Effort } from '../../parts/wire/write-request.ts'

export interface Settings {
  readonly system: string
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly effort: Effort
  readonly isStreamed: boolean
}

export const USUAL_SETTINGS: Settings = {
  system: '',
  temperature: null,
  maxTokens: null,
  effort: '',
  isStreamed: true,
}

export interface SettingsFormProps {
  readonly format: ChatFormat
  readonly onFormat: (format: ChatFormat) => void
  readonly settings: Settings
  readonly onChange: (change: Partial<Settings>) => void
}

/** Request settings. Empty fields use the model's defaults. */
export function SettingsForm({ format, onFormat, settings, onChange }: SettingsFormProps) {
  const isTemperatureLeftOut = format === 'messages' && settings.effort !== ''
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Format"
        description="The API format to use. Every model works with every format."
        value={format}
        onChange={(event) => onFormat(event.currentTarget.value as ChatFormat)}
        data={CHAT_FORMATS.map((value) => ({ value, label: describeFormat(value) }))}
      />
      <Textarea
        label="System prompt"
        placeholder="You are a helpful assistant."
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <NumberInput
        label="Temperature"
        placeholder="Model default"
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        {...(isTemperatureLeftOut && { description: 'Not sent with thinking in this format.' })}
        value={settings.temperature ?? ''}
        onChange={(value) => onChange({ temperature: numberOf(value) })}
      />
      <NumberInput
        label="Maximum output tokens"
        placeholder={format === 'messages' ? '4096' : 'Model default'}
        min={1}
        step={256}
        allowDecimal={false}
        value={settings.maxTokens ?? ''}
        onChange={(value) => onChange({ maxTokens: numberOf(value) })}
      />
      <NativeSelect
        label="Thinking"
        value={settings.effort}
        onChange={(event) => onChange({ effort: event.currentTarget.value as Effort })}
        data={[
          { value: '', label: 'Model default' },
          { value: 'low', label: 'Low' },
          { value: 'medium', label: 'Medium' },
          { value: 'high', label: 'High' },
        ]}
      />
      <Switch
        label="Stream the response"
        checked={settings.isStreamed}
        onChange={(event) => onChange({ isStreamed: event.currentTarget.checked })}
      />
    </Stack>
  )
}

function numberOf(value: string | number): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
