import { QueryClient } from '@tanstack/react-query'
import { lazy, useEffect } from 'react'
import { Admin, CustomRoutes, localStorageStore, Resource } from 'react-admin'
import { BrowserRouter, Route } from 'react-router-dom'
import { authProvider } from './api/auth-provider.ts'
import type { Wire } from './api/client.ts'
import { dataProvider } from './api/data-provider.ts'
import { AREAS } from './areas/areas.ts'
import { HomePage } from './home/home-page.tsx'
import { i18nProvider } from './shell/i18n.ts'
import { ConsoleLayout } from './shell/layout.tsx'
import { LoginPage } from './shell/login.tsx'
import { NotFoundPage } from './shell/not-found.tsx'
import { showTabIcon, useSiteHead } from './shell/site-name.ts'
import { textNow } from './shell/text.ts'
import { DARK, LIGHT } from './shell/theme.ts'

const QueuePage = lazy(() => import('./queues/queue-page.tsx').then((page) => ({ default: page.QueuePage })))

const AreaPage = lazy(() => import('./areas/area-pages.tsx').then((page) => ({ default: page.AreaPage })))
const SettingsPage = lazy(() =>
  import('./pages/settings/settings-page.tsx').then((page) => ({ default: page.SettingsPage })),
)
const AppearancePage = lazy(() =>
  import('./pages/appearance/appearance-page.tsx').then((page) => ({ default: page.AppearancePage })),
)
const MailsPage = lazy(() =>
  import('./pages/mails/mails-page.tsx').then((page) => ({ default: page.MailsPage })),
)
const BackupsPage = lazy(() =>
  import('./pages/backups/backups-page.tsx').then((page) => ({ default: page.BackupsPage })),
)
const SetupPage = lazy(() =>
  import('./pages/setup/setup-page.tsx').then((page) => ({ default: page.SetupPage })),
)
const AuditPage = lazy(() =>
  import('./pages/audit/audit-page.tsx').then((page) => ({ default: page.AuditPage })),
)
const LedgerPage = lazy(() =>
  import('./pages/ledger-page.tsx').then((page) => ({ default: page.LedgerPage })),
)
const ImPage = lazy(() => import('./pages/im-page.tsx').then((page) => ({ default: page.ImPage })))

const AccountPage = lazy(() =>
  import('./pages/account/account-page.tsx').then((page) => ({ default: page.AccountPage })),
)

const queries = new QueryClient({
  defaultOptions: { queries: { refetchOnWindowFocus: false, retry: 1, staleTime: 5_000 } },
})

export function App() {
  const { name, icon } = useSiteHead()
  useEffect(() => showTabIcon(icon), [icon])
  return (
    <BrowserRouter basename="/admin">
      <Admin
        title={name}
        authProvider={authProvider}
        dataProvider={dataProvider}
        i18nProvider={i18nProvider}
        queryClient={queries}
        store={localStorageStore('1', 'kith.console')}
        dashboard={HomePage}
        layout={ConsoleLayout}
        loginPage={LoginPage}
        theme={LIGHT}
        darkTheme={DARK}
        catchAll={NotFoundPage}
        requireAuth
        disableTelemetry
      >
        {AREAS.map(({ name, title }) => (
          <Resource
            key={name}
            name={name}
            list={<AreaPage page="list" />}
            show={<AreaPage page="show" />}
            edit={<AreaPage page="edit" />}
            create={<AreaPage page="create" />}
            {...(title ? { recordRepresentation: (row: Wire) => title(row, textNow) } : {})}
          />
        ))}
        <CustomRoutes>
          <Route path="/queues/:queue" element={<QueuePage />} />
          <Route path="/queues/:queue/:item" element={<QueuePage />} />
          <Route path="/appearance" element={<AppearancePage />} />
          <Route path="/mails" element={<MailsPage />} />
          <Route path="/backups" element={<BackupsPage />} />
          <Route path="/setup" element={<SetupPage />} />
          <Route path="/settings" element={<SettingsPage />} />
          <Route path="/settings/:section" element={<SettingsPage />} />
          <Route path="/audit-log" element={<AuditPage />} />
          <Route path="/ledger" element={<LedgerPage />} />
          <Route path="/account" element={<AccountPage />} />
          <Route path="/im" element={<ImPage />} />
        </CustomRoutes>
      </Admin>
    </BrowserRouter>
  )
}
