#include "CPromiseSystem.h"
