import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { SESSION_KEY } from '../../api/client.ts'
import { identity, useUser } from '../../api/session.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useAction } from '../../parts/use-action.ts'
import { SecondFactorSetup } from './second-factor-setup.tsx'

export function SecondFactorSettings() {
  const { totp_enabled: isOn } = useUser()
  const [isSettingUp, setup] = useDisclosure(false)
  const [isEnding, ending] = useDisclosure(false)
  return (
    <Panel
      title="Second factor"
      description="A code from an authenticator app, asked for after the password. A stolen password alone is then worth nothing."
      actions={<StatusBadge state={isOn ? 'on' : 'off'} tone={isOn ? 'good' : 'neutral'} />}
    >
      <Group>
        {isOn ? (
          <Button variant="default" onClick={ending.open}>
            Switch off
          </Button>
        ) : (
          <Button onClick={setup.open}>Set up</Button>
        )}
      </Group>
      <SecondFactorSetup isOpen={isSettingUp} onClose={setup.close} />
      {isEnding && <SwitchOff onClose={ending.close} />}
    </Panel>
  )
}

function SwitchOff({ onClose }: { readonly onClose: () => void }) {
  const { has_password: hasPassword } = useUser()
  const [proof, setProof] = useState('')
  const disable = useAction(identity.disableTotp, {
    done: 'The second factor is off.',
    refreshes: [SESSION_KEY],
    onDone: onClose,
  })
  return (
    <FormDrawer
      title="Switch off the second factor"
      onClose={onClose}
      onSubmit={() => disable.run(hasPassword ? { password: proof } : { code: proof.replaceAll(' ', '') })}
      submitLabel="Switch off"
      isSubmitting={disable.isRunning}
      error={disable.error}
    >
      <Stack>
        <Text size="sm">
          From then on the password alone opens your accounts. Your recovery codes end, too.
        </Text>
        {hasPassword ? (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            data-autofocus
            value={proof}
            onChange={(event) => setProof(event.currentTarget.value)}
          />
        ) : (
          <TextInput
            label="Code of the authenticator app"
            autoComplete="one-time-code"
            inputMode="numeric"
            data-autofocus
            value={proof}
            onChange={(event) => setProof(event.currentTarget.value)}
          />
        )}
      </Stack>
    </FormDrawer>
  )
}
