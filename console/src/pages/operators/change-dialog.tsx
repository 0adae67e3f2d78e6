import { Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditedChange } from '../../../../src/operators/contract.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { compareMembers, shownValue } from './compare-members.ts'
import classes from './operators.module.css'

/** One change, before and after side by side. */
export function ChangeDialog({ change, onClose }: { change: AuditedChange; onClose: () => void }) {
  const { t } = useTranslation()
  const { at, operator, role, action, subject, before, after, requestId, address } = change
  const rows = compareMembers(before, after)
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('access.audit.dialogTitle', { action, subject })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('access.audit.close') }}
    >
      <Stack gap="md">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {operator}
          </Text>
          <Text size="sm" c="dimmed">
            {role === null ? t('access.audit.noRole') : t(`shell.role.${role}`)}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            <Time at={at} />
          </Text>
        </Group>
        {rows.length === 0 ? (
          <Text size="sm">{t('access.audit.noValues')}</Text>
        ) : (
          <Table.ScrollContainer minWidth={0} type="native">
            <Table aria-label={subject}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('access.audit.member')}</Table.Th>
                  <Table.Th scope="col">{t('access.audit.before')}</Table.Th>
                  <Table.Th scope="col">{t('access.audit.after')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map(({ name, before: was, after: is, differs }) => (
                  <Table.Tr key={name} {...(differs ? { className: classes['differs'] } : {})}>
                    <Table.Th scope="row">
                      <Stack gap={4} align="flex-start">
                        {name}
                        {differs && <StatusBadge kind="info" label={t('access.audit.differs')} />}
                      </Stack>
                    </Table.Th>
                    <Table.Td>
                      <Value value={was} />
                    </Table.Td>
                    <Table.Td>
                      <Value value={is} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <Group gap="lg">
          {requestId !== null && <Fact label={t('access.audit.requestId')} text={requestId} />}
          {address !== null && <Fact label={t('access.audit.address')} text={address} />}
        </Group>
      </Stack>
    </Modal>
  )
}

function Value({ value }: { value: unknown }) {
  const { t } = useTranslation()
  if (value === undefined || value === null)
    return <span className={classes['none']}>{t('access.audit.nothing')}</span>
  return <pre className={classes['value']}>{shownValue(value)}</pre>
}

function Fact({ label, text }: { label: string; text: string }) {
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <CopyButton text={text} what={label} />
    </Group>
  )
}
