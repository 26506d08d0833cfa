import { Menu } from '@base-ui/react/menu';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { menuItemLook, menuLook } from '../ui/menu-look.ts';
import { chooseTheme, chosenTheme, themes } from '../theme-choice.ts';

const themeNames = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** Who is signed in, how the page looks, and the way out. */
export const AccountMenu = () => {
  const { name, admin, projects } = useMe();
  const [theme, setTheme] = useState(chosenTheme);
  // From the beginning: nothing that was read for this person stays in the page.
  const signOut = useMutation({
    mutationFn: () => corral.sessionClose(),
    onSuccess: () => location.assign('/sign-in'),
  });
  return (
    <Menu.Root>
      <Menu.Trigger className="inline-flex h-8 items-center gap-1 rounded-control px-2 hover:bg-sunken">
        <span className="max-w-32 truncate">{name}</span>
        <ChevronDown size={14} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-40">
          <Menu.Popup className={menuLook}>
            <p className="px-2.5 py-1.5 text-fine text-dim">
              {admin ? 'administrator' : projects.length === 0 ? 'in no project' : `in ${projects.join(', ')}`}
            </p>
            <Menu.LinkItem closeOnClick render={<Link to="/account" />} className={menuItemLook}>
              Account
            </Menu.LinkItem>
            <Menu.Separator className="my-1.5 border-t border-line" />
            <Menu.RadioGroup
              value={theme}
              onValueChange={(chosen: (typeof themes)[number]) => {
                chooseTheme(chosen);
                setTheme(chosen);
              }}
            >
              {themes.map((each) => (
                <Menu.RadioItem key={each} value={each} closeOnClick={false} className={menuItemLook}>
                  <span className="flex-1">{themeNames[each]}</span>
                  <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1.5 border-t border-line" />
            <Menu.LinkItem href="/reference" className={menuItemLook}>
              Reference of the interface
            </Menu.LinkItem>
            <Menu.Item className={menuItemLook} onClick={() => signOut.mutate()}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
};
