def lock(**configuration):
    return ['process', 'landlock', 'seccomp']


restrict = lambda *a: True
