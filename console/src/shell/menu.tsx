import { Badge, Box, ButtonBase, Skeleton, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Menu, MenuItemLink, useSidebarState, useStore } from 'react-admin'
import { useLocation } from 'react-router'
import { myAbilities } from '../api/auth-provider.ts'
import { useWaiting } from '../home/waiting.ts'
import { Icon } from './icon.tsx'
import { type Entry, entriesFor, HOME, type Job } from './navigation.ts'
import { VERSION } from './site-name.ts'
import { useText } from './text.ts'

const FEW = 20

export function ConsoleMenu() {
  const t = useText()
  const [open] = useSidebarState()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  if (!mine) return <Skeleton variant="rounded" sx={{ m: 1, height: 320, width: open ? 200 : 40 }} />
  const jobs = entriesFor(mine)
  const isFew = jobs.reduce((sum, { entries }) => sum + entries.length, 0) <= FEW
  return (
    <Box component="nav" aria-label={t(['Main menu', '主菜单'])}>
      <Menu
        dense
        sx={{
          pb: 2,
          width: open ? 232 : 56,
          '& .RaMenuItemLink-active': { bgcolor: 'action.selected', fontWeight: 600, borderRadius: 2 },
          '& .MuiMenuItem-root': { fontSize: 14, minHeight: 34 },
        }}
      >
        <EntryLink entry={HOME} />
        {jobs.map((job) => (
          <JobGroup key={job.name} job={job} isFew={isFew} />
        ))}
      </Menu>
      {open && VERSION && (
        <Typography component="p" variant="caption" color="textSecondary" sx={{ px: 2, pb: 2 }}>
          {t([`Version ${VERSION}`, `版本 ${VERSION}`])}
        </Typography>
      )}
    </Box>
  )
}

function JobGroup({ job: { name, label, entries }, isFew }: { job: Job; isFew: boolean }) {
  const t = useText()
  const [open] = useSidebarState()
  const { pathname } = useLocation()
  const [kept, keep] = useStore<boolean | null>(`menu.${name}`, null)
  const isHere = entries.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  const isOpen = kept ?? (isFew || isHere || name === 'decide')
  const links = entries.map((entry) => <EntryLink key={entry.to} entry={entry} />)
  if (!open) return <>{links}</>
  return (
    <>
      <ButtonBase
        role="menuitem"
        aria-expanded={isOpen}
        onClick={() => keep(!isOpen)}
        sx={{
          mt: 1,
          px: 2,
          py: 0.75,
          width: '100%',
          justifyContent: 'space-between',
          fontSize: 12,
          fontWeight: 650,
          color: 'text.secondary',
          borderRadius: 2,
        }}
      >
        {t(label)}
        <Icon name={isOpen ? 'less' : 'more'} fontSize="small" />
      </ButtonBase>
      {isOpen && links}
    </>
  )
}

function EntryLink({ entry: { to, label, icon, queue } }: { entry: Entry }) {
  const t = useText()
  const [open] = useSidebarState()
  const { waiting } = useWaiting()
  const count = waiting?.get(queue ?? '')?.count ?? 0
  return (
    <MenuItemLink
      to={to}
      primaryText={
        <Box component="span" sx={{ display: 'flex', alignItems: 'center', width: '100%' }}>
          <Box component="span" data-label sx={{ flex: 1, overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {t(label)}
          </Box>
          {count > 0 && (
            <Box component="span" sx={{ fontSize: 12, fontWeight: 650, color: 'primary.main', pl: 1 }}>
              {count > 999 ? '999+' : count}
            </Box>
          )}
        </Box>
      }
      leftIcon={
        open || count === 0 ? (
          <Icon name={icon} fontSize="small" />
        ) : (
          <Badge variant="dot" color="primary">
            <Icon name={icon} fontSize="small" />
          </Badge>
        )
      }
    />
  )
}
