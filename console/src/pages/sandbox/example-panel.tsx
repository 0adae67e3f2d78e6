import { Button, Group, Table, Text, Title } from '@mantine/core'
import { Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useChange, type AnswerTo } from '../../api.ts'
import { Code } from '../../parts/code.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import classes from './sandbox.module.css'

const invalidates = ['listSandboxHotels', 'getSupplier', 'listSuppliers'] as const

/** Pushes the example hotel on behalf of the supplier. */
export function ExamplePanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const push = useChange('pushExampleHotel', { invalidates })
  return (
    <section className={classes['panel']} aria-labelledby="example">
      <Title order={2} id="example" mb={4}>
        {t('sandbox.example.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('sandbox.example.what')}
      </Text>
      <Button
        leftSection={<Upload size={14} aria-hidden />}
        loading={push.isPending}
        onClick={() => push.mutate({ params: { supplierId } })}
      >
        {t('sandbox.example.push')}
      </Button>
      <div role="status">{push.data && <ExamplePushes pushed={push.data} />}</div>
      {push.error && (
        <div className={classes['below']}>
          <ErrorNote error={push.error} />
        </div>
      )}
    </section>
  )
}

function ExamplePushes({ pushed: { hotelId, pushes } }: { pushed: AnswerTo<'pushExampleHotel'> }) {
  const { t } = useTranslation()
  const params = { hotelId: String(hotelId) }
  return (
    <>
      <Table aria-label={t('sandbox.example.caption')} mt="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('sandbox.example.step')}</Table.Th>
            <Table.Th scope="col">{t('sandbox.example.answer')}</Table.Th>
            <Table.Th scope="col">{t('sandbox.example.requestId')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pushes.map(({ kind, message, requestId }) => (
            <Table.Tr key={requestId}>
              <Table.Td>{isStep(kind) ? t(`sandbox.example.kinds.${kind}`) : kind}</Table.Td>
              <Table.Td>{message}</Table.Td>
              <Table.Td>
                <LinkTo to="/pushes" search={{ requestId }} size="sm">
                  <Code>{requestId.slice(-8)}</Code>
                </LinkTo>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="md" mt="xs">
        <LinkTo to="/hotels/$hotelId" params={params} size="sm">
          {t('sandbox.example.open')}
        </LinkTo>
        <LinkTo to="/hotels/$hotelId/calendar" params={params} size="sm">
          {t('sandbox.example.calendar')}
        </LinkTo>
      </Group>
    </>
  )
}

const steps = ['hotels', 'products', 'taxes', 'ari'] as const

function isStep(kind: string): kind is (typeof steps)[number] {
  return steps.some((step) => step === kind)
}
