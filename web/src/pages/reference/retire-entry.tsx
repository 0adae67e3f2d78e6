import { Alert, List, Text } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type {
  ReferenceEntry,
  ReferenceList,
  ReferenceUse,
} from '../../../../src/console-api/reference/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { Confirm } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { PageWait } from '../../parts/page.tsx'

/** Confirms before an entry is retired, and lists the rooms or products that use it. */
export function RetireEntry({
  list,
  entry: { key },
  onClose,
}: {
  list: ReferenceList
  entry: ReferenceEntry
  onClose: () => void
}) {
  const { t } = useTranslation()
  const use = useApi('getReferenceUse', { query: { list, key } })
  const retire = useChange('retireReferenceEntry', { invalidates: ['listReferenceEntries'] })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('reference.retireTitle', { key })}
      confirm={t('reference.retire')}
      onConfirm={() => retire.mutate({ body: { list, key } }, { onSuccess: onClose })}
      isBusy={retire.isPending}
      isDangerous
      error={retire.error}
    >
      <Text size="sm" mb="sm">
        {t('reference.retireWhat')}
      </Text>
      {use.isPending && <PageWait lines={2} />}
      {use.error && <ErrorNote error={use.error} onRetry={() => void use.refetch()} />}
      {use.data && <UsedBy list={list} use={use.data} />}
    </Confirm>
  )
}

const hotelsShownMax = 5

function UsedBy({ list, use: { used, suppliers, hotels } }: { list: ReferenceList; use: ReferenceUse }) {
  const { t } = useTranslation()
  if (used.count === 0) return <Text size="sm">{t('reference.unusedNow')}</Text>
  const count = used.count.toLocaleString('en')
  const text = used.isMore ? t('reference.usedMore', { count }) : count
  return (
    <Alert
      color="yellow"
      icon={<TriangleAlert size={16} aria-hidden />}
      title={`${t(`reference.usedBy.${list}`)}: ${text}`}
    >
      <List size="sm" mb="xs">
        {suppliers.map(({ supplierId, name, uses }) => (
          <List.Item key={supplierId}>
            {t('reference.bySupplier', { name, uses: uses.toLocaleString('en') })}
          </List.Item>
        ))}
      </List>
      <Text size="sm" component="div">
        {t('reference.hotels')}{' '}
        {hotels.slice(0, hotelsShownMax).map(({ hotelId, name }, place) => (
          <span key={hotelId}>
            {place > 0 && ', '}
            <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }} size="sm">
              {name}
            </LinkTo>
          </span>
        ))}
      </Text>
    </Alert>
  )
}
