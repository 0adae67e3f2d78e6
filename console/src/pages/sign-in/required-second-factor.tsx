import { Anchor, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { SecondFactorSetUp } from './second-factor-setup.tsx'
import classes from './sign-in.module.css'

/** Replaces every page while a required second factor is missing. */
export function RequiredSecondFactor({ onSignOut }: { onSignOut: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return (
    <main className={classes['frame']}>
      <div className={classes['card']}>
        <Page title={t('access.secondFactor.title')} intro={t('access.secondFactor.must')}>
          <Stack gap="md">
            <SecondFactorSetUp
              isReplaced={false}
              onDone={() => void queries.invalidateQueries({ queryKey: ['whoAmI'] })}
            />
            <Anchor component="button" type="button" size="sm" onClick={onSignOut}>
              {t('shell.signOut')}
            </Anchor>
          </Stack>
        </Page>
      </div>
    </main>
  )
}
