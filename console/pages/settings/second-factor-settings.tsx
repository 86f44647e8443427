import { Button, Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SESSION_KEY } from '../../api/client.ts'
import { identity, useUser } from '../../api/session.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
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
  return (
    <FormDrawer
      title="Switch off the second factor"
      submitLabel="Switch off"
      onClose={onClose}
      initialValues={{ proof: '' }}
      send={({ proof }) =>
        identity.disableTotp(hasPassword ? { password: proof } : { code: proof.replaceAll(' ', '') })
      }
      done="The second factor is off."
      refreshes={[SESSION_KEY]}
    >
      {(field) => (
        <>
          <Text size="sm">
            From then on the password alone opens your accounts. Your recovery codes end, too.
          </Text>
          {hasPassword ? (
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              data-autofocus
              {...field('proof')}
            />
          ) : (
            <TextInput
              label="Code of the authenticator app"
              autoComplete="one-time-code"
              inputMode="numeric"
              data-autofocus
              {...field('proof')}
            />
          )}
        </>
      )}
    </FormDrawer>
  )
}
