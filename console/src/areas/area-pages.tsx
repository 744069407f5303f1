import { useResourceContext } from 'react-admin'
import { AreaCreate, AreaEdit } from './area-form.tsx'
import { AreaList } from './area-list.tsx'
import { AreaShow } from './area-show.tsx'
import { areaNamed } from './areas.ts'

export function AreaPage({ page }: { page: 'list' | 'show' | 'edit' | 'create' }) {
  const area = areaNamed(useResourceContext() ?? '')
  const Page = { list: AreaList, show: AreaShow, edit: AreaEdit, create: AreaCreate }[page]
  return <Page key={area.name} area={area} />
}
