import { Button, Group, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShownBody } from '../../../../src/console/pushes/contract.ts'
import { urlOf } from '../../api.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Bytes } from './bytes.tsx'
import classes from './pushes.module.css'

/** A body as received: a tree if it is complete JSON, otherwise its text. */
export function PushBody({
  pushId,
  part,
  body,
  label,
}: {
  pushId: number
  part: 'body' | 'answer'
  body: ShownBody
  label: string
}) {
  const { t } = useTranslation()
  const { encoding, text, bytes, isCut } = body
  const isTree = encoding === 'json' && !isCut
  const value = useMemo((): unknown => (isTree ? JSON.parse(text) : undefined), [isTree, text])
  if (bytes === 0) return <Text size="sm">{t('pushes.body.empty')}</Text>
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button
          component="a"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          href={urlOf('downloadPush', { params: { pushId, part } })}
          download={`push-${pushId}-${part}.json`}
        >
          {t('pushes.body.download')}
        </Button>
        <Text size="sm" c="dimmed">
          <Bytes n={bytes} />
        </Text>
        {encoding !== 'json' && <Text size="sm">{t(`pushes.body.${encoding}`)}</Text>}
        {isCut && <Text size="sm">{t('pushes.item.cut')}</Text>}
      </Group>
      {isTree ? (
        <JsonView value={value} label={label} />
      ) : (
        <pre className={classes['sent']} tabIndex={0} role="region" aria-label={label}>
          {text}
        </pre>
      )}
    </>
  )
}
