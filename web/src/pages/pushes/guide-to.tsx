import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { pathPrefix } from '../../address.ts'

/** A link to what the guides say of a type of error: its cause and its remedy. */
export function GuideTo({ type }: { type: string }) {
  const { t } = useTranslation()
  return (
    <Anchor inherit href={`${pathPrefix}/docs/guides/errors#${type}`}>
      {t('pushes.page.guide', { type })}
    </Anchor>
  )
}
