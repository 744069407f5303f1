import type { Area } from './area.ts'

/** People and what they may do. */
export const PEOPLE_AREAS: readonly Area[] = [
  {
    name: 'people',
    path: 'users',
    param: 'user',
    section: 'people',
    label: ['People', '用户'],
    noun: ['person', '用户'],
    icon: 'people',
    hasSearch: true,
    sorts: ['id', 'name', 'created_at'],
    title: (row) => String(row.name),
    detail: 'person',
    columns: [
      { name: 'id', label: ['Id', '编号'], as: 'number', wide: true },
      { name: 'name', label: ['Name', '用户名'] },
      { name: 'email', label: ['E-mail', '邮箱'], wide: true },
      { name: 'phone', label: ['Phone', '手机号'], wide: true },
      { name: 'roles', label: ['Roles', '角色'], as: 'list', wide: true },
      {
        name: 'disabled',
        label: ['State', '状态'],
        choices: [
          { id: true, name: ['suspended', '已停用'], tone: 'bad' },
          { id: false, name: ['active', '正常'], tone: 'good' },
        ],
      },
      { name: 'created_at', label: ['Since', '注册时间'], as: 'time', wide: true },
    ],
    filters: [
      { name: 'email', label: ['E-mail', '邮箱'] },
      { name: 'phone', label: ['Phone', '手机号'] },
      {
        name: 'role',
        label: ['Role', '角色'],
        as: 'area',
        of: 'roles',
        keeps: 'name',
        shows: 'display_name',
      },
      { name: 'disabled', label: ['Suspended', '已停用'], as: 'flag' },
    ],
    fields: [
      { name: 'name', label: ['Name', '用户名'], required: true },
      { name: 'password', label: ['Password', '密码'], as: 'password', only: 'new', required: true },
      { name: 'email', label: ['E-mail', '邮箱'] },
      { name: 'phone', label: ['Phone', '手机号'] },
      {
        name: 'roles',
        label: ['Roles', '角色'],
        as: 'areas',
        of: 'roles',
        keeps: 'name',
        shows: 'display_name',
      },
    ],
    deletes: false,
  },
]
