import { Box, Button, ListItemIcon, MenuItem, type Theme, Typography, useMediaQuery } from '@mui/material'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import {
  AppBar,
  Layout,
  LocalesMenuButton,
  Logout,
  TitlePortal,
  ToggleThemeButton,
  UserMenu,
  useGetIdentity,
  useUserMenu,
} from 'react-admin'
import { Link } from 'react-router'
import { Icon } from './icon.tsx'
import { ConsoleMenu } from './menu.tsx'
import { useSiteHead } from './site-name.ts'
import { useText } from './text.ts'

const Palette = lazy(() => import('./palette.tsx').then((part) => ({ default: part.Palette })))

function PaletteButton() {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      setOpen((open) => !open)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <Button
        color="inherit"
        size="small"
        onClick={() => setOpen(true)}
        startIcon={<Icon name="search" fontSize="small" />}
        aria-label={t(['Ctrl K: go to a page, user or setting', 'Ctrl K：跳转到页面、用户或设置'])}
        aria-keyshortcuts="Control+K Meta+K"
        sx={{ minWidth: 0, '& .MuiButton-startIcon': { mr: { xs: 0, md: 0.5 } } }}
      >
        <Box
          component="kbd"
          aria-hidden
          sx={{ display: { xs: 'none', md: 'inline' }, fontFamily: 'inherit' }}
        >
          Ctrl K
        </Box>
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function AccountItem() {
  const t = useText()
  const menu = useUserMenu()
  return (
    <MenuItem component={Link} to="/account" onClick={() => menu?.onClose()}>
      <ListItemIcon>
        <Icon name="people" fontSize="small" />
      </ListItemIcon>
      {t(['My account', '我的账号'])}
    </MenuItem>
  )
}

function ConsoleBar() {
  const { name, icon } = useSiteHead()
  const { data: identity } = useGetIdentity()
  // On phones only the avatar is visible, so its button needs a label that names the menu.
  const isNamed = useMediaQuery<Theme>((theme) => theme.breakpoints.up('sm'))
  return (
    <AppBar
      userMenu={
        <UserMenu label={(isNamed && identity?.fullName) || 'ra.auth.user_menu'}>
          <AccountItem />
          <Logout />
        </UserMenu>
      }
      color="secondary"
      toolbar={
        <>
          <PaletteButton />
          <LocalesMenuButton />
          <ToggleThemeButton />
        </>
      }
    >
      <Box component="img" src={icon} alt="" data-site-icon sx={{ width: 24, height: 24, mr: 1 }} />
      <Typography component="span" sx={{ fontWeight: 700, mr: 2, display: { xs: 'none', sm: 'inline' } }}>
        {name}
      </Typography>
      <TitlePortal
        variant="body2"
        color="textSecondary"
        sx={{ '& .RaConfigurable-root': { display: 'inline' } }}
      />
    </AppBar>
  )
}

function useTabTitle() {
  const { name } = useSiteHead()
  useEffect(() => {
    const show = () => {
      const title = document.querySelector('#react-admin-title')?.textContent?.trim()
      const next = title ? `${title} · ${name}` : name
      if (document.title !== next) document.title = next
    }
    const observer = new MutationObserver(show)
    observer.observe(document.body, { childList: true, characterData: true, subtree: true })
    show()
    return () => observer.disconnect()
  }, [name])
}

export function ConsoleLayout({ children }: { children: ReactNode }) {
  useTabTitle()
  return (
    <Layout
      appBar={ConsoleBar}
      menu={ConsoleMenu}
      sx={{
        minWidth: 0,
        '& .RaLayout-content': { px: { xs: 1.5, md: 3 }, minWidth: 0 },
        '& .RaLayout-appFrame': { minWidth: 0 },
      }}
    >
      {children}
    </Layout>
  )
}
